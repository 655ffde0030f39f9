#include "modules/words.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace pure::modules {
namespace {

struct Entry {
  Bytes text;
  Word word;
};

// In byte order: it is searched by halves.
constexpr Entry kWords[] = {
    {"after", Word::kLater},     {"allow", Word::kLater},
    {"and", Word::kAnd},         {"as", Word::kAs},
    {"by", Word::kLater},        {"caller", Word::kLater},
    {"cancel", Word::kLater},    {"change", Word::kLater},
    {"commit", Word::kLater},    {"default", Word::kLaterItem},
    {"do", Word::kLater},        {"document", Word::kDocument},
    {"down", Word::kLater},      {"drop", Word::kLater},
    {"due", Word::kLater},       {"else", Word::kElse},
    {"emit", Word::kLater},      {"every", Word::kLaterItem},
    {"expires", Word::kLater},   {"false", Word::kFalse},
    {"fault", Word::kFault},     {"fn", Word::kLaterItem},
    {"for", Word::kLater},       {"from", Word::kLaterItem},
    {"if", Word::kIf},           {"in", Word::kLater},
    {"input", Word::kLaterItem}, {"let", Word::kLet},
    {"list", Word::kLater},      {"live", Word::kLater},
    {"map", Word::kLater},       {"message", Word::kMessage},
    {"module", Word::kModule},   {"none", Word::kNone},
    {"not", Word::kNot},         {"now", Word::kLater},
    {"or", Word::kOr},           {"random", Word::kLater},
    {"reply", Word::kReply},     {"require", Word::kRequire},
    {"ring", Word::kLater},      {"role", Word::kLaterItem},
    {"see", Word::kLater},       {"set", Word::kLater},
    {"skip", Word::kLater},      {"state", Word::kLaterItem},
    {"take", Word::kLater},      {"test", Word::kLaterItem},
    {"then", Word::kThen},       {"true", Word::kTrue},
    {"type", Word::kType},       {"view", Word::kLaterItem},
};

constexpr bool Sorted() {
  for (size_t i = 1; i < std::size(kWords); ++i) {
    if (!(kWords[i - 1].text < kWords[i].text)) return false;
  }
  return true;
}
static_assert(Sorted());

constexpr std::array<Bytes, 3> kItemWords = {"document", "message", "type"};
constexpr std::array<Bytes, 4> kStatementWords = {"if", "let", "reply", "require"};

}  // namespace

Word WordOf(Bytes name) {
  const Entry* found =
      std::lower_bound(std::begin(kWords), std::end(kWords), name,
                       [](const Entry& entry, Bytes text) { return entry.text < text; });
  if (found == std::end(kWords) || found->text != name) return Word::kNotReserved;
  return found->word;
}

absl::Span<const Bytes> ItemWords() { return kItemWords; }

absl::Span<const Bytes> StatementWords() { return kStatementWords; }

std::string NotSupportedYet(Bytes word) {
  return absl::StrCat("`", word, "` is not supported yet: this version serves documents");
}

}  // namespace pure::modules
