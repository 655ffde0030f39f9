#include "modules/templates/raw_end.h"

#include "absl/strings/ascii.h"

namespace pure::modules {
namespace {

constexpr Bytes kCommentOpen = "<!--";
constexpr Bytes kEndTagOpen = "</";
constexpr Bytes kBehindName = " \t\n\r\f/>";

}  // namespace

RawEnd::Found RawEnd::Take(char c, Bytes name) {
  const bool whole = matched_ == kEndTagOpen.size() + name.size();
  if (whole && kBehindName.find(c) != Bytes::npos) {
    *this = {};
    return Found::kEnd;
  }
  const bool opens = c == '<';
  opened_ = c == kCommentOpen[opened_] ? static_cast<uint8_t>(opened_ + 1) : opens;
  if (opened_ == kCommentOpen.size()) {
    *this = {};
    return Found::kComment;
  }
  if (!whole && Matches(c, name)) {
    ++matched_;
    return Found::kNothing;
  }
  const bool stray = matched_ > 0;
  matched_ = opens;
  return stray ? Found::kStray : Found::kNothing;
}

bool RawEnd::Matches(char c, Bytes name) const {
  if (matched_ < kEndTagOpen.size()) return c == kEndTagOpen[matched_];
  return absl::ascii_tolower(static_cast<unsigned char>(c)) == name[matched_ - kEndTagOpen.size()];
}

}  // namespace pure::modules
