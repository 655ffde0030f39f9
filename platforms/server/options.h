#pragma once

// Options of a command line, declared as data and parsed by a table. It prints nothing: errors and
// help are text for the caller to print.
//
//   --name value, --name=value   a repeated option: the last stands
//   --flagfile FILE              options from a file, one a line ("name value", "name=value", with
//   or without the dashes;
//                                blank lines and lines that begin with # are left out); no flag
//                                file within one
//   --help                       ends the parsing at once
//   --                           ends the options; whatever follows is positional, as is "-"
//
// Numbers are decimal digits without a sign; sizes take one suffix k, M or G (powers of 1024,
// either case).
//
// Lifetime: a table borrows its texts and variables; both usually live in one function.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace pure::server {

struct Option {
  enum class Kind : uint8_t {
    kSwitch,  // takes no value; its presence means true
    kNumber,  // digits
    kSize,    // digits and a suffix; a number of bytes
    kText,    // any bytes but none at all
    kChoice,  // one of `choices`
  };
  // What a value is stored in. A number that passes the type's own limit is out of bounds.
  using Variable = std::variant<bool*, uint16_t*, uint32_t*, uint64_t*, std::string*>;

  std::string_view name;  // without the dashes
  Kind kind = Kind::kText;
  Variable variable;
  // As a user would write it; it is parsed before the command line. Empty: the variable keeps what
  // it has.
  std::string_view default_text = {};
  std::string_view default_note = {};  // shown as the default instead, where words say it better
  std::string_view value_name = {};    // shown for the value: N, DIR; a unit for numbers: MS, BYTES
  uint64_t low = 0;                    // kNumber, kSize: smallest and largest that is allowed
  uint64_t high = std::numeric_limits<uint64_t>::max();
  std::vector<std::string_view> choices = {};
  std::string_view help = {};  // one sentence, lower case, no full stop
};

struct ParsedArguments {
  bool help = false;  // --help was met; what stands behind it was not looked at
  std::vector<std::string> positional;
};

// Sets the variables: to their defaults, then as the arguments say. `arguments` is argv without the
// program and its subcommand. Errors (InvalidArgument) say which option, which value, and what is
// allowed; those of a flag file begin with FILE:LINE. The variables then hold anything. REQUIRES:
// the table's defaults are allowed values, and each variable fits its option's kind.
absl::StatusOr<ParsedArguments> ParseOptions(absl::Span<const Option> table,
                                             absl::Span<const char* const> arguments);

// One paragraph an option, with value, help and default, in the table's order; then --flagfile and
// --help.
std::string OptionsHelp(absl::Span<const Option> table);

}  // namespace pure::server
