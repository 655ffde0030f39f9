#include "platforms/server/options.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "platforms/server/text_file.h"
#include "runtime/check.h"

namespace pure::server {
namespace {

constexpr std::string_view kFlagFile = "flagfile";
constexpr std::string_view kHelp = "help";
constexpr size_t kFlagFileBytesMax = 1u << 20;
constexpr uint64_t kU64Max = std::numeric_limits<uint64_t>::max();

absl::Status Wrong(std::string_view name, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("--", name, ": ", what));
}

// What a user wrote, safe to print on a terminal.
std::string Quoted(std::string_view text) {
  return absl::StrCat("\"", absl::Utf8SafeCEscape(text), "\"");
}

// 1048576 as 1M, for kSize.
std::string SizeText(uint64_t bytes) {
  static constexpr std::pair<int, const char*> kUnits[] = {{30, "G"}, {20, "M"}, {10, "k"}};
  for (const auto& [shift, suffix] : kUnits) {
    if (bytes > 0 && (bytes & ((uint64_t{1} << shift) - 1)) == 0) {
      return absl::StrCat(bytes >> shift, suffix);
    }
  }
  return absl::StrCat(bytes);
}

// The largest value that option and variable both take.
uint64_t HighOf(const Option& option) {
  if (std::holds_alternative<uint16_t*>(option.variable)) {
    return std::min<uint64_t>(option.high, std::numeric_limits<uint16_t>::max());
  }
  if (std::holds_alternative<uint32_t*>(option.variable)) {
    return std::min<uint64_t>(option.high, std::numeric_limits<uint32_t>::max());
  }
  return option.high;
}

// "a number from 0 to 65535", for errors.
std::string Allowed(const Option& option) {
  const bool is_size = option.kind == Option::Kind::kSize;
  switch (option.kind) {
    case Option::Kind::kSwitch:
      return "no value";
    case Option::Kind::kText:
      return absl::StrCat("a value (", option.value_name, ")");
    case Option::Kind::kChoice:
      return absl::StrCat("one of ", absl::StrJoin(option.choices, ", "));
    case Option::Kind::kNumber:
    case Option::Kind::kSize:
      break;
  }
  const std::string kind =
      is_size ? "a size in digits, with k, M, G or nothing behind," : "a number in digits,";
  const auto print = [is_size](uint64_t n) { return is_size ? SizeText(n) : absl::StrCat(n); };
  const uint64_t high = HighOf(option);
  if (high == kU64Max) return absl::StrCat(kind, " of ", print(option.low), " or more");
  return absl::StrCat(kind, " from ", print(option.low), " to ", print(high));
}

absl::Status NotAllowed(const Option& option, std::string_view value) {
  return Wrong(option.name,
               absl::StrCat(Quoted(value), " is not allowed; it takes ", Allowed(option)));
}

// Digits, then a suffix where one is allowed. Nothing: not such a text, or more than 64 bits hold.
std::optional<uint64_t> ParseNumber(std::string_view text, bool suffix_allowed) {
  int shift = 0;
  if (suffix_allowed && !text.empty()) {
    switch (absl::ascii_tolower(static_cast<unsigned char>(text.back()))) {
      case 'k':
        shift = 10;
        break;
      case 'm':
        shift = 20;
        break;
      case 'g':
        shift = 30;
        break;
      default:
        break;
    }
    if (shift != 0) text.remove_suffix(1);
  }
  if (text.empty()) return std::nullopt;
  uint64_t number = 0;
  for (char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    const uint64_t value = static_cast<uint64_t>(digit - '0');
    if (number > (kU64Max - value) / 10) return std::nullopt;
    number = number * 10 + value;
  }
  if (number > kU64Max >> shift) return std::nullopt;
  return number << shift;
}

void Store(const Option& option, uint64_t number) {
  if (auto* const* small = std::get_if<uint16_t*>(&option.variable)) {
    **small = static_cast<uint16_t>(number);
  } else if (auto* const* medium = std::get_if<uint32_t*>(&option.variable)) {
    **medium = static_cast<uint32_t>(number);
  } else if (auto* const* large = std::get_if<uint64_t*>(&option.variable)) {
    **large = number;
  } else {
    PURE_CHECK(false, "a number option without a number variable");
  }
}

absl::Status SetValue(const Option& option, std::string_view value) {
  if (option.kind == Option::Kind::kNumber || option.kind == Option::Kind::kSize) {
    const std::optional<uint64_t> number = ParseNumber(value, option.kind == Option::Kind::kSize);
    if (!number.has_value() || *number < option.low || *number > HighOf(option)) {
      return NotAllowed(option, value);
    }
    Store(option, *number);
    return absl::OkStatus();
  }
  PURE_CHECK(option.kind != Option::Kind::kSwitch, "a switch takes no value");
  const bool chosen =
      std::find(option.choices.begin(), option.choices.end(), value) != option.choices.end();
  if (value.empty() || (option.kind == Option::Kind::kChoice && !chosen)) {
    return NotAllowed(option, value);
  }
  auto* const* const to = std::get_if<std::string*>(&option.variable);
  PURE_CHECK(to != nullptr, "a text option without a text variable");
  (*to)->assign(value);
  return absl::OkStatus();
}

// Edits (insert, delete, replace) that turn one word into the other: Levenshtein's distance.
size_t Distance(std::string_view from, std::string_view to) {
  std::vector<size_t> row(to.size() + 1);
  for (size_t j = 0; j <= to.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= from.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= to.size(); ++j) {
      const size_t replaced = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({replaced, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row[to.size()];
}

class Parser {
 public:
  explicit Parser(absl::Span<const Option> table) : table_(table) {}

  absl::Status SetDefaults() {
    for (const Option& option : table_) {
      if (option.default_text.empty()) continue;
      const absl::Status status = SetValue(option, option.default_text);
      if (!status.ok()) return absl::InternalError(status.message());
    }
    return absl::OkStatus();
  }

  absl::Status Parse(absl::Span<const char* const> arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      std::string_view argument = arguments[i];
      if (argument == "--") {
        parsed_.positional.insert(parsed_.positional.end(), arguments.begin() + i + 1,
                                  arguments.end());
        return absl::OkStatus();
      }
      if (argument.size() < 2 || argument[0] != '-') {
        parsed_.positional.emplace_back(argument);
        continue;
      }
      std::optional<std::string_view> next;
      if (i + 1 < arguments.size()) next = arguments[i + 1];
      bool took_next = false;
      if (absl::Status status = ParseOne(argument, next, &took_next); !status.ok()) return status;
      if (parsed_.help) return absl::OkStatus();
      if (took_next) ++i;
    }
    return absl::OkStatus();
  }

  ParsedArguments Take() { return std::move(parsed_); }

 private:
  absl::Status Unknown(std::string_view written) const {
    std::string_view near;
    const std::string name =
        absl::AsciiStrToLower(absl::StripPrefix(absl::StripPrefix(written, "-"), "-"));
    size_t near_distance = 1 + name.size() / 3;  // farther words are no help
    const auto consider = [&](std::string_view candidate) {
      const bool begins = name.size() > 1 && absl::StartsWith(candidate, name);
      const size_t distance = begins ? 0 : Distance(name, candidate);
      if (distance > near_distance || (distance == near_distance && !near.empty())) return;
      near = candidate;
      near_distance = distance;
    };
    for (const Option& option : table_) consider(option.name);
    consider(kFlagFile);
    consider(kHelp);
    return absl::InvalidArgumentError(
        absl::StrCat(absl::Utf8SafeCEscape(written), ": there is no such option",
                     near.empty() ? "" : absl::StrCat("; is --", near, " meant?")));
  }

  const Option* Find(std::string_view name) const {
    const auto found = std::find_if(table_.begin(), table_.end(),
                                    [name](const Option& option) { return option.name == name; });
    return found == table_.end() ? nullptr : &*found;
  }

  // One option. `next`: the argument behind it, which is its value unless one came with "=".
  absl::Status ParseOne(std::string_view argument, std::optional<std::string_view> next,
                        bool* took_next) {
    const size_t equals = argument.find('=');
    const std::string_view written = argument.substr(0, equals);
    if (!absl::StartsWith(written, "--")) return Unknown(written);
    const std::string_view name = written.substr(2);
    std::optional<std::string_view> value;
    if (equals != std::string_view::npos) value = argument.substr(equals + 1);
    const Option* const option = Find(name);
    const bool is_switch =
        name == kHelp || (option != nullptr && option->kind == Option::Kind::kSwitch);
    if (!is_switch && option == nullptr && name != kFlagFile) return Unknown(written);
    if (is_switch) {
      if (value.has_value()) return Wrong(name, "takes no value");
      return TurnOn(option);
    }
    if (!value.has_value()) {
      // What looks like an option is not eaten as a value; --name=--value says that it is meant.
      if (!next.has_value() || absl::StartsWith(*next, "--")) {
        return Wrong(name, absl::StrCat("the value is missing; it takes ",
                                        option == nullptr ? "a value (FILE)" : Allowed(*option)));
      }
      value = next;
      *took_next = true;
    }
    return option == nullptr ? ParseFile(std::string(*value)) : SetValue(*option, *value);
  }

  absl::Status TurnOn(const Option* option) {
    if (option == nullptr) {
      parsed_.help = true;
      return absl::OkStatus();
    }
    bool* const* const to = std::get_if<bool*>(&option->variable);
    PURE_CHECK(to != nullptr, "a switch without a bool variable");
    **to = true;
    return absl::OkStatus();
  }

  absl::Status ParseFile(const std::string& path) {
    if (path.empty()) return Wrong(kFlagFile, "\"\" is not allowed; it takes a value (FILE)");
    absl::StatusOr<std::string> text = ReadTextFile(path, kFlagFileBytesMax, FilePrivacy::kAny);
    if (!text.ok()) return Wrong(kFlagFile, text.status().message());
    size_t number = 0;
    for (std::string_view line : absl::StrSplit(*text, '\n')) {
      ++number;
      const absl::Status status = ParseLine(absl::StripAsciiWhitespace(line));
      if (!status.ok()) {
        return absl::InvalidArgumentError(absl::StrCat(path, ":", number, ": ", status.message()));
      }
    }
    return absl::OkStatus();
  }

  // "name value", "name=value" or a switch's name, with or without the dashes.
  absl::Status ParseLine(std::string_view line) {
    if (line.empty() || line[0] == '#') return absl::OkStatus();
    const std::string dashed = line[0] == '-' ? std::string(line) : absl::StrCat("--", line);
    if (dashed == "--") return absl::InvalidArgumentError("an option's name is missing");
    const size_t end = dashed.find_first_of("= \t");
    const std::string_view name = std::string_view(dashed).substr(0, end);
    if (name == "--flagfile" || name == "--help") {
      return absl::InvalidArgumentError(absl::StrCat(name, " can not stand in a flag file"));
    }
    bool took_next = false;
    if (end == std::string::npos || dashed[end] == '=') {
      return ParseOne(dashed, std::nullopt, &took_next);
    }
    const std::string_view rest =
        absl::StripLeadingAsciiWhitespace(std::string_view(dashed).substr(end));
    const absl::Status status = ParseOne(name, rest, &took_next);
    if (status.ok() && !took_next) return Wrong(name.substr(2), "takes no value");
    return status;
  }

  const absl::Span<const Option> table_;
  ParsedArguments parsed_;
};

// The head, then the help and the note beside it, broken between words to fit a terminal of 80
// columns.
std::string Paragraph(std::string_view head, std::string_view help, std::string_view note) {
  static constexpr size_t kHelpColumn = 26;
  static constexpr size_t kColumns = 80;
  std::vector<std::string> words = absl::StrSplit(help, ' ');
  if (!note.empty()) words.push_back(absl::StrCat("(", note, ")"));
  std::string text;
  std::string line = absl::StrCat("  ", head);
  const auto break_line = [&] {
    absl::StrAppend(&text, line, "\n");
    line.assign(kHelpColumn, ' ');
  };
  if (line.size() + 2 > kHelpColumn) break_line();
  line.resize(kHelpColumn, ' ');
  for (const std::string& word : words) {
    const bool begins = line.size() == kHelpColumn;
    if (!begins && line.size() + 1 + word.size() > kColumns) break_line();
    absl::StrAppend(&line, line.size() == kHelpColumn ? "" : " ", word);
  }
  return absl::StrCat(text, line, "\n");
}

}  // namespace

absl::StatusOr<ParsedArguments> ParseOptions(absl::Span<const Option> table,
                                             absl::Span<const char* const> arguments) {
  Parser parser(table);
  const absl::Status defaults = parser.SetDefaults();
  PURE_CHECK(defaults.ok(), "an option's default is not allowed by its own row");
  if (absl::Status status = parser.Parse(arguments); !status.ok()) return status;
  return parser.Take();
}

std::string OptionsHelp(absl::Span<const Option> table) {
  std::string text;
  for (const Option& option : table) {
    std::string head = absl::StrCat("--", option.name);
    if (option.kind == Option::Kind::kChoice) {
      absl::StrAppend(&head, " ", absl::StrJoin(option.choices, "|"));
    } else if (option.kind != Option::Kind::kSwitch) {
      absl::StrAppend(&head, " ", option.value_name);
    }
    const std::string_view shown =
        option.default_note.empty() ? option.default_text : option.default_note;
    absl::StrAppend(
        &text, Paragraph(head, option.help, shown.empty() ? "" : absl::StrCat("default ", shown)));
  }
  absl::StrAppend(&text, Paragraph("--flagfile FILE", "reads options from FILE, one a line", ""),
                  Paragraph("--help", "prints this", ""));
  return text;
}

}  // namespace pure::server
