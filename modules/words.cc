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
    {"after", Word::kLater},
    {"allow", Word::kLater},
    {"and", Word::kAnd},
    {"as", Word::kAs},
    {"by", Word::kBy},
    {"caller", Word::kLater},
    {"cancel", Word::kLater},
    {"change", Word::kChange},
    {"default", Word::kLaterItem},
    {"do", Word::kLater},
    {"document", Word::kDocument},
    {"down", Word::kDown},
    {"drop", Word::kDrop},
    {"due", Word::kLater},
    {"else", Word::kElse},
    {"emit", Word::kLater},
    {"every", Word::kLaterItem},
    {"expires", Word::kLater},
    {"false", Word::kFalse},
    {"fault", Word::kFault},
    {"fn", Word::kFn},
    {"for", Word::kFor},
    {"from", Word::kLaterItem},
    {"if", Word::kIf},
    {"in", Word::kIn},
    {"input", Word::kInput},
    {"let", Word::kLet},
    {"list", Word::kList},
    {"live", Word::kLater},
    {"map", Word::kMap},
    {"message", Word::kMessage},
    {"module", Word::kModule},
    {"none", Word::kNone},
    {"not", Word::kNot},
    {"or", Word::kOr},
    {"reply", Word::kReply},
    {"require", Word::kRequire},
    {"ring", Word::kRing},
    {"role", Word::kLaterItem},
    {"see", Word::kSee},
    {"set", Word::kSet},
    {"skip", Word::kSkip},
    {"state", Word::kState},
    {"take", Word::kTake},
    {"test", Word::kTest},
    {"then", Word::kThen},
    {"true", Word::kTrue},
    {"type", Word::kType},
    {"view", Word::kView},
};

constexpr bool Sorted() {
  for (size_t i = 1; i < std::size(kWords); ++i) {
    if (!(kWords[i - 1].text < kWords[i].text)) return false;
  }
  return true;
}
static_assert(Sorted());

constexpr std::array<Bytes, 8> kItemWords = {"document", "fn",   "input", "message",
                                             "state",    "test", "type",  "view"};
constexpr std::array<Bytes, 8> kStatementWords = {"change", "drop",  "for",     "if",
                                                  "let",    "reply", "require", "see"};

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
  return absl::StrCat("`", word, "` is not supported yet");
}

}  // namespace pure::modules
