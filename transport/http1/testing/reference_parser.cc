#include "transport/http1/testing/reference_parser.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace pure::http1::testing {
namespace {

constexpr Bytes kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr Bytes kDigits = "0123456789";
constexpr Bytes kHexDigits = "0123456789ABCDEFabcdef";

bool OneOf(char c, std::initializer_list<Bytes> sets) {
  return std::any_of(sets.begin(), sets.end(),
                     [c](Bytes set) { return set.find(c) != Bytes::npos; });
}

bool AllOf(Bytes text, std::initializer_list<Bytes> sets) {
  return std::all_of(text.begin(), text.end(), [sets](char c) { return OneOf(c, sets); });
}

// token = 1*tchar
bool IsToken(Bytes text) {
  return !text.empty() && AllOf(text, {kLetters, kDigits, "!#$%&'*+-.^_`|~"});
}

// *( one of the sets / pct-encoded )
bool IsEncoded(Bytes text, std::initializer_list<Bytes> sets) {
  while (!text.empty()) {
    if (text[0] == '%') {
      if (text.size() < 3 || !AllOf(text.substr(1, 2), {kHexDigits})) return false;
      text.remove_prefix(3);
    } else {
      if (!OneOf(text[0], sets)) return false;
      text.remove_prefix(1);
    }
  }
  return true;
}

constexpr Bytes kUnreservedMarks = "-._~";
constexpr Bytes kSubDelims = "!$&'()*+,;=";

struct Line {
  Bytes method, target, version;
};

// method SP request-target SP HTTP-version, of octets that a URI may have.
std::optional<Line> RequestLine(Bytes line) {
  const std::vector<Bytes> parts = absl::StrSplit(line, ' ');
  if (parts.size() != 3 || !IsToken(parts[0]) || parts[1].empty()) return std::nullopt;
  if (!IsEncoded(parts[1], {kLetters, kDigits, kUnreservedMarks, kSubDelims, ":@/?"})) {
    return std::nullopt;
  }
  const Bytes version = parts[2];
  if (version.size() != 8 || version.substr(0, 5) != "HTTP/" || version[6] != '.' ||
      !OneOf(version[5], {kDigits}) || !OneOf(version[7], {kDigits})) {
    return std::nullopt;
  }
  return Line{parts[0], parts[1], version};
}

struct Field {
  Bytes name, value;
};

// field-name ":" OWS field-value OWS
std::optional<Field> FieldLine(Bytes line) {
  const size_t colon = line.find(':');
  if (colon == Bytes::npos || !IsToken(line.substr(0, colon))) return std::nullopt;
  Bytes value = line.substr(colon + 1);
  for (const char c : value) {
    const int octet = static_cast<unsigned char>(c);
    if ((octet < 32 && octet != 9) || octet == 127) return std::nullopt;
  }
  const size_t first = value.find_first_not_of(" \t");
  if (first == Bytes::npos) return Field{line.substr(0, colon), value.substr(0, 0)};
  value = value.substr(first, value.find_last_not_of(" \t") - first + 1);
  return Field{line.substr(0, colon), value};
}

// A part of a line may still become a whole one when one of these endings makes it legal.
bool MayBecomeRequestLine(Bytes part) {
  constexpr Bytes kEndings[] = {
      "A / HTTP/1.1", " / HTTP/1.1", "/ HTTP/1.1", " HTTP/1.1",   "HTTP/1.1",
      "TTP/1.1",      "TP/1.1",      "P/1.1",      "/1.1",        "1.1",
      ".1",           "1",           "",           "00 HTTP/1.1", "0 HTTP/1.1"};
  return std::any_of(std::begin(kEndings), std::end(kEndings), [part](Bytes ending) {
    return RequestLine(absl::StrCat(part, ending)).has_value();
  });
}

bool MayBecomeFieldLine(Bytes part) {
  return part.empty() || FieldLine(part).has_value() ||
         FieldLine(absl::StrCat(part, ":")).has_value();
}

// dec-octet "." dec-octet "." dec-octet "." dec-octet
bool IsIpv4(Bytes text) {
  const std::vector<Bytes> numbers = absl::StrSplit(text, '.');
  return numbers.size() == 4 && std::all_of(numbers.begin(), numbers.end(), [](Bytes number) {
           if (number.empty() || number.size() > 3 || !AllOf(number, {kDigits})) return false;
           return std::to_string(std::stoi(std::string(number))) == number &&
                  std::stoi(std::string(number)) < 256;
         });
}

// How many 16-bit groups stand there, all with `:` between; -1: not so.
int Groups(Bytes text, bool last) {
  if (text.empty()) return 0;
  int groups = 0;
  const std::vector<Bytes> parts = absl::StrSplit(text, ':');
  for (size_t i = 0; i < parts.size(); ++i) {
    if (last && i + 1 == parts.size() && IsIpv4(parts[i])) {
      groups += 2;
    } else if (!parts[i].empty() && parts[i].size() <= 4 && AllOf(parts[i], {kHexDigits})) {
      ++groups;
    } else {
      return -1;
    }
  }
  return groups;
}

bool IsIpv6(Bytes text) {
  const size_t gap = text.find("::");
  if (gap == Bytes::npos) return Groups(text, true) == 8;
  const int before = Groups(text.substr(0, gap), false);
  const int after = Groups(text.substr(gap + 2), true);
  return before >= 0 && after >= 0 && before + after <= 7;
}

// uri-host [ ":" port ], not empty
bool IsAuthority(Bytes text) {
  Bytes host = text;
  const size_t bracket = text.rfind(']');
  const size_t colon = text.find(':', bracket == Bytes::npos ? 0 : bracket);
  if (colon != Bytes::npos) {
    host = text.substr(0, colon);
    if (!AllOf(text.substr(colon + 1), {kDigits})) return false;
  }
  if (host.empty()) return false;
  if (host.front() == '[') return host.back() == ']' && IsIpv6(host.substr(1, host.size() - 2));
  return IsEncoded(host, {kLetters, kDigits, kUnreservedMarks, kSubDelims});
}

// 1*DIGIT within 20 digits and 64 bits
std::optional<uint64_t> Length(Bytes text) {
  if (text.empty() || text.size() > 20 || !AllOf(text, {kDigits})) return std::nullopt;
  __extension__ unsigned __int128 value = 0;
  for (const char c : text) value = value * 10 + static_cast<unsigned>(c - '0');
  if (value > UINT64_MAX) return std::nullopt;
  return static_cast<uint64_t>(value);
}

class Parser {
 public:
  Parser(Bytes request, size_t limit_bytes)
      : window_(request.substr(0, limit_bytes)), full_(window_.size() == limit_bytes) {}

  ReferenceResult Run() {
    while (!done_) {
      const size_t end = window_.find("\r\n", at_);
      if (end == Bytes::npos) {
        TakeTail(window_.substr(at_));
        break;
      }
      const Bytes line = window_.substr(at_, end - at_);
      const bool first = at_ == 0;
      at_ = end + 2;
      if (line.empty() && first) continue;
      TakeLine(line);
    }
    return result_;
  }

 private:
  void Refuse(Refusal refusal) {
    result_.result = ParseResult::kRefused;
    result_.refusal = refusal;
    result_.head = Head();
    done_ = true;
  }

  // What is there of a line that has not ended.
  void TakeTail(Bytes tail) {
    bool viable;
    if (!tail.empty() && tail.back() == '\r') {
      tail.remove_suffix(1);
      if (tail.empty()) {
        viable = lines_ > 0 || at_ == 0;
      } else {
        viable = lines_ == 0 ? RequestLine(tail).has_value() : FieldLine(tail).has_value();
      }
    } else {
      viable =
          tail.empty() || (lines_ == 0 ? MayBecomeRequestLine(tail) : MayBecomeFieldLine(tail));
    }
    if (!viable) return Refuse(Refusal::kBadRequest);
    if (full_) Refuse(lines_ == 0 ? Refusal::kUriTooLong : Refusal::kHeadTooLarge);
  }

  void TakeLine(Bytes text) {
    if (lines_++ == 0) {
      const std::optional<Line> line = RequestLine(text);
      return line ? TakeRequestLine(*line) : Refuse(Refusal::kBadRequest);
    }
    if (text.empty()) return Finish();
    const std::optional<Field> field = FieldLine(text);
    if (!field) return Refuse(Refusal::kBadRequest);
    fields_.push_back(*field);
    CheckLast();
  }

  void TakeRequestLine(const Line& line) {
    Head& head = result_.head;
    if (line.version.substr(0, 7) != "HTTP/1.") return Refuse(Refusal::kVersionNotSupported);
    head.minor_version = static_cast<uint8_t>(line.version[7] - '0');
    if (line.method == "CONNECT") return Refuse(Refusal::kNotImplemented);
    constexpr std::pair<Bytes, Method> kMethods[] = {
        {"GET", Method::kGet},    {"HEAD", Method::kHead},       {"PUT", Method::kPut},
        {"POST", Method::kPost},  {"OPTIONS", Method::kOptions}, {"DELETE", Method::kDelete},
        {"PATCH", Method::kPatch}};
    for (const auto& [name, method] : kMethods) {
      if (line.method == name) head.method = method;
    }
    head.target = line.target;
    Bytes path = line.target;
    if (path.front() != '/' && path != "*") {
      const size_t authority = path.find("://");
      if (authority == Bytes::npos) return Refuse(Refusal::kBadRequest);
      const Bytes scheme = path.substr(0, authority);
      head.misdirected = absl::EqualsIgnoreCase(scheme, "https");
      if (!head.misdirected && !absl::EqualsIgnoreCase(scheme, "http"))
        return Refuse(Refusal::kBadRequest);
      path.remove_prefix(authority + 3);
      head.authority = path.substr(0, path.find_first_of("/?"));
      if (!IsAuthority(head.authority)) return Refuse(Refusal::kBadRequest);
      path.remove_prefix(head.authority.size());
    }
    const size_t query = path.find('?');
    head.has_query = query != Bytes::npos;
    if (head.has_query) head.query = path.substr(query + 1);
    head.path = path.substr(0, query);
    if (head.path.empty()) head.path = "/";
  }

  std::vector<Bytes> Values(Bytes name) const {
    std::vector<Bytes> values;
    for (const Field& field : fields_) {
      if (absl::EqualsIgnoreCase(field.name, name)) values.push_back(field.value);
    }
    return values;
  }

  // The rules that a line alone can break, with those before it.
  void CheckLast() {
    for (const Bytes name : {"Host", "Content-Length", "Transfer-Encoding", "Authorization",
                             "Origin", "Content-Type", "Expect"}) {
      if (Values(name).size() > 1) return Refuse(Refusal::kBadRequest);
    }
    std::string dashes(fields_.back().name);
    std::replace(dashes.begin(), dashes.end(), '_', '-');
    if (dashes != fields_.back().name && (absl::EqualsIgnoreCase(dashes, "Content-Length") ||
                                          absl::EqualsIgnoreCase(dashes, "Transfer-Encoding"))) {
      return Refuse(Refusal::kBadRequest);
    }
    for (const Bytes value : Values("Content-Length")) {
      if (!Length(value)) return Refuse(Refusal::kBadRequest);
    }
  }

  // Copies: FieldLine's spans point into its argument.
  static Refusal TransferRefusal(Bytes value) {
    std::vector<std::string> codings;
    for (const Bytes element : absl::StrSplit(value, ',')) {
      const std::string line = absl::StrCat("x:", element);
      codings.emplace_back(FieldLine(line)->value);
    }
    for (size_t i = 0; i < codings.size(); ++i) {
      if (!IsToken(codings[i])) return Refusal::kBadRequest;
      if (absl::EqualsIgnoreCase(codings[i], "chunked") && i + 1 < codings.size()) {
        return Refusal::kBadRequest;
      }
    }
    return codings.size() == 1 && absl::EqualsIgnoreCase(codings[0], "chunked")
               ? Refusal::kLengthRequired
               : Refusal::kNotImplemented;
  }

  void Finish() {
    Head& head = result_.head;
    const std::vector<Bytes> transfer = Values("Transfer-Encoding");
    const std::vector<Bytes> length = Values("Content-Length");
    const std::vector<Bytes> host = Values("Host");
    const std::vector<Bytes> expect = Values("Expect");
    const bool old = head.minor_version == 0;
    if (!transfer.empty()) {
      return Refuse(old || !length.empty() ? Refusal::kBadRequest : TransferRefusal(transfer[0]));
    }
    if (host.empty() ? !old : !IsAuthority(host[0])) return Refuse(Refusal::kBadRequest);
    if (!old && !expect.empty()) {
      if (!absl::EqualsIgnoreCase(expect[0], "100-continue"))
        return Refuse(Refusal::kExpectationFailed);
      head.expect_continue = true;
    }
    if (head.authority.empty() && !host.empty()) head.authority = host[0];
    head.has_content_length = !length.empty();
    if (head.has_content_length) head.content_length = *Length(length[0]);
    head.keep_alive = !old && !SaysClose();
    FillValues(&head);
    head.size_bytes = at_;
    result_.result = ParseResult::kComplete;
    done_ = true;
  }

  bool SaysClose() const {
    for (const Bytes value : Values("Connection")) {
      for (const Bytes element : absl::StrSplit(value, ',')) {
        const std::string line = absl::StrCat("x:", element);
        if (absl::EqualsIgnoreCase(FieldLine(line)->value, "close")) return true;
      }
    }
    return false;
  }

  void FillValues(Head* head) const {
    head->has_origin = !Values("Origin").empty();
    const auto last = [this](Bytes name) {
      const std::vector<Bytes> values = Values(name);
      return values.empty() ? Bytes() : values.back();
    };
    head->origin = last("Origin");
    head->authorization = last("Authorization");
    head->content_type = last("Content-Type");
    head->accept = last("Accept");
    head->repeated_condition = Values("If-Match").size() > 1 || Values("If-None-Match").size() > 1;
    if (!Values("If-Match").empty()) head->if_match = Tag(last("If-Match"));
    if (!Values("If-None-Match").empty()) head->if_none_match = Tag(last("If-None-Match"));
  }

  // "*" / [ "W/" ] DQUOTE *etagc DQUOTE; anything else, a list too, is malformed.
  static EntityTag Tag(Bytes value) {
    EntityTag tag;
    tag.kind = value == "*" ? EntityTag::Kind::kAny : EntityTag::Kind::kTag;
    if (value == "*") return tag;
    tag.weak = value.substr(0, 2) == "W/";
    const Bytes quoted = tag.weak ? value.substr(2) : value;
    const bool whole = std::count(quoted.begin(), quoted.end(), '"') == 2 &&
                       quoted.front() == '"' && quoted.back() == '"' &&
                       quoted.find_first_of(" \t") == Bytes::npos;
    tag.malformed = !whole;
    if (whole) tag.text = quoted.substr(1, quoted.size() - 2);
    return tag;
  }

  const Bytes window_;
  const bool full_;
  size_t at_ = 0;
  int lines_ = 0;  // complete ones, from the request line on
  bool done_ = false;
  std::vector<Field> fields_;
  ReferenceResult result_;
};

}  // namespace

ReferenceResult ReferenceParse(Bytes request, size_t limit_bytes) {
  return Parser(request, limit_bytes).Run();
}

}  // namespace pure::http1::testing
