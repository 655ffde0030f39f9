#include "modules/templates/reference_tokenizer.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace pure::modules {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
bool IsAlpha(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)); }

std::string Decode(Bytes text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '&') {
      out.push_back(text[i]);
      continue;
    }
    const Bytes rest = text.substr(i + 1);
    bool known = false;
    const std::pair<Bytes, char> names[] = {{"amp", '&'},    {"lt", '<'},     {"gt", '>'},
                                            {"quot", '"'},   {"colon;", ':'}, {"sol;", '/'},
                                            {"bsol;", '\\'}, {"Tab;", '\t'},  {"NewLine;", '\n'}};
    for (const auto& [name, octet] : names) {
      if (known || !absl::StartsWith(rest, name)) continue;
      known = true;
      out.push_back(octet);
      i += name.size();
      if (i + 1 < text.size() && text[i + 1] == ';' && name.back() != ';') ++i;
    }
    if (!known && absl::StartsWith(rest, "#")) {
      const bool hex = rest.size() > 1 && (rest[1] == 'x' || rest[1] == 'X');
      const std::string digits(rest.substr(hex ? 2 : 1));
      char* end = nullptr;
      const long value = std::strtol(digits.c_str(), &end, hex ? 16 : 10);
      known = end != digits.c_str() && !digits.empty() && !IsSpace(digits[0]);
      if (known) {
        out.push_back(static_cast<char>(value));
        i += (hex ? 2 : 1) + static_cast<size_t>(end - digits.c_str());
        if (i + 1 < text.size() && text[i + 1] == ';') ++i;
      }
    }
    if (!known) out.push_back('&');
  }
  return out;
}

class Tokenizer {
 public:
  Tokenizer(Bytes page, bool raw) : page_(page), raw_(raw) {}

  std::vector<ReferenceTag> Run() {
    while (at_ < page_.size()) {
      if (page_[at_] != '<') {
        ++at_;
        continue;
      }
      ++at_;
      if (At('!')) {
        ++at_;
        Markup();
      } else if (At('?')) {
        PassTo(">");
      } else if (At('/')) {
        ++at_;
        if (at_ < page_.size() && IsAlpha(page_[at_])) {
          Tag(true);
        } else {
          PassTo(">");
        }
      } else if (at_ < page_.size() && IsAlpha(page_[at_])) {
        Tag(false);
      }
    }
    return std::move(tags_);
  }

 private:
  bool At(char c) const { return at_ < page_.size() && page_[at_] == c; }
  Bytes rest() const { return page_.substr(std::min(at_, page_.size())); }

  void PassTo(Bytes mark) {
    const size_t found = page_.find(mark, at_);
    at_ = found == Bytes::npos ? page_.size() : found + mark.size();
  }

  void Markup() {
    if (!absl::StartsWith(rest(), "--")) return PassTo(">");
    at_ += 2;
    if (absl::StartsWith(rest(), ">")) return PassTo(">");
    if (absl::StartsWith(rest(), "->")) return PassTo(">");
    const size_t one = page_.find("-->", at_);
    const size_t other = page_.find("--!>", at_);
    if (one == Bytes::npos && other == Bytes::npos) {
      at_ = page_.size();
    } else {
      at_ = one < other ? one + 3 : other + 4;
    }
  }

  void Tag(bool end) {
    ReferenceTag tag;
    if (end) tag.name = "/";
    while (at_ < page_.size() && !IsSpace(page_[at_]) && page_[at_] != '/' && page_[at_] != '>') {
      tag.name.push_back(absl::ascii_tolower(static_cast<unsigned char>(page_[at_++])));
    }
    for (;;) {
      while (at_ < page_.size() && (IsSpace(page_[at_]) || page_[at_] == '/')) ++at_;
      if (at_ >= page_.size()) return;  // a tag that does not end is none
      if (page_[at_] == '>') break;
      Attribute(&tag);
      if (at_ >= page_.size()) return;
    }
    const bool self_closing = page_[at_ - 1] == '/';
    ++at_;
    tags_.push_back(tag);
    const bool foreign_root = absl::EndsWith(tag.name, "svg") || absl::EndsWith(tag.name, "math");
    if (end) {
      if (foreign_root && foreign_depth_ > 0) --foreign_depth_;
    } else if (raw_ || foreign_depth_ == 0) {
      Content(tag.name);
    }
    if (!end && foreign_root && !self_closing) ++foreign_depth_;
  }

  void Attribute(ReferenceTag* tag) {
    std::string name;
    do {  // a = at the start belongs to the name
      name.push_back(absl::ascii_tolower(static_cast<unsigned char>(page_[at_++])));
    } while (at_ < page_.size() && !IsSpace(page_[at_]) && page_[at_] != '/' && page_[at_] != '>' &&
             page_[at_] != '=');
    while (at_ < page_.size() && IsSpace(page_[at_])) ++at_;
    std::string value;
    if (At('=')) {
      ++at_;
      while (at_ < page_.size() && IsSpace(page_[at_])) ++at_;
      value = Value();
    }
    tag->attributes.emplace_back(name, Decode(value));
  }

  std::string Value() {
    if (at_ >= page_.size() || page_[at_] == '>') return "";
    std::string value;
    if (At('"') || At('\'')) {
      const char quote = page_[at_++];
      while (at_ < page_.size() && page_[at_] != quote) value.push_back(page_[at_++]);
      ++at_;
      return value;
    }
    while (at_ < page_.size() && !IsSpace(page_[at_]) && page_[at_] != '>') {
      value.push_back(page_[at_++]);
    }
    return value;
  }

  // To the end tag of its name, which is left to be read.
  void Content(const std::string& name) {
    if (name == "plaintext") {
      at_ = page_.size();
      return;
    }
    const Bytes names[] = {"script",   "style",    "xmp",   "iframe",  "noembed",
                           "noframes", "noscript", "title", "textarea"};
    if (std::find(std::begin(names), std::end(names), name) == std::end(names)) return;
    // In a script, <!-- and then <script make it longer.
    bool escaped = false;
    bool doubly = false;
    for (; at_ < page_.size(); ++at_) {
      if (name == "script") {
        if (absl::StartsWith(rest(), "<!--")) escaped = true;
        if (absl::StartsWith(rest(), "-->")) escaped = doubly = false;
        if (escaped && EndsName("<script")) doubly = true;
        if (doubly && EndsName("</script")) {
          doubly = false;
          continue;
        }
      }
      if (!doubly && EndsName(absl::StrCat("</", name))) return;
    }
  }

  bool EndsName(Bytes mark) const {
    return absl::StartsWithIgnoreCase(rest(), mark) && rest().size() > mark.size() &&
           (IsSpace(rest()[mark.size()]) || rest()[mark.size()] == '/' ||
            rest()[mark.size()] == '>');
  }

  const Bytes page_;
  const bool raw_;
  size_t at_ = 0;
  int foreign_depth_ = 0;
  std::vector<ReferenceTag> tags_;
};

}  // namespace

std::vector<ReferenceTag> TokenizeAsBrowser(Bytes page, bool raw) {
  return Tokenizer(page, raw).Run();
}

std::pair<std::string, std::string> LeadsTo(Bytes address) {
  std::string url;
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
  size_t begin = 0;
  while (begin < address.size() && is_control(address[begin])) ++begin;
  for (const char c : address.substr(begin)) {
    if (c != '\t' && c != '\n' && c != '\r') url.push_back(c == '\\' ? '/' : c);
  }
  std::string scheme = "https";
  std::string host = "own.example";
  size_t name = 0;
  while (name < url.size() && (absl::ascii_isalnum(static_cast<unsigned char>(url[name])) ||
                               Bytes("+-.").find(url[name]) != Bytes::npos)) {
    ++name;
  }
  size_t at = 0;
  if (name > 0 && name < url.size() && url[name] == ':' && IsAlpha(url[0])) {
    scheme = absl::AsciiStrToLower(url.substr(0, name));
    at = name + 1;
    if (scheme != "http" && scheme != "https") return {scheme, ""};
  } else if (!absl::StartsWith(url, "//")) {
    return {scheme, host};
  }
  while (at < url.size() && url[at] == '/') ++at;
  const size_t end = std::min(url.find_first_of("/?#", at), url.size());
  return {scheme, url.substr(at, end - at)};
}

}  // namespace pure::modules
