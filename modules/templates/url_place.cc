#include "modules/templates/url_place.h"

#include "absl/strings/match.h"

namespace pure::modules {
namespace {

constexpr size_t kSchemeBytesMax = 6;  // mailto

// Browsers leave out some of these, and take \ for / and a reference for what it means.
bool IsOdd(char c) {
  return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F || c == '\\' || c == '&';
}

bool EndsName(char c) { return c == '/' || c == '?' || c == '#'; }

}  // namespace

bool UrlPlace::Take(char c) {
  switch (at_) {
    case At::kStart:
      if (c == '/') {
        at_ = At::kSlash;
      } else if (EndsName(c)) {
        at_ = At::kPath;
      } else {
        at_ = IsOdd(c) || c == ':' ? At::kOdd : At::kName;
        name_ = c;
      }
      return true;
    case At::kName:
      if (c == ':') {
        TakeScheme();
      } else if (EndsName(c) || IsOdd(c)) {
        at_ = IsOdd(c) ? At::kOdd : At::kPath;
        name_.clear();
      } else if (name_.size() <= kSchemeBytesMax) {
        name_.push_back(c);
      }
      return true;
    case At::kSlash:
      at_ = c == '/' ? At::kSlashes : IsOdd(c) ? At::kOdd : At::kPath;
      return true;
    case At::kSlashHole:
      at_ = At::kPath;
      return c != '/' && !IsOdd(c);
    case At::kSlashes:
      if (c != '/') at_ = IsOdd(c) || EndsName(c) ? At::kOdd : At::kHost;
      return true;
    case At::kHost:
      if (EndsName(c)) at_ = At::kPath;
      if (IsOdd(c)) at_ = At::kOdd;
      return true;
    case At::kWhole:
      if (EndsName(c)) at_ = c == '/' ? At::kSlash : At::kPath;
      return c != ':' && !IsOdd(c);
    case At::kPath:
    case At::kOdd:
      return true;
  }
  return false;
}

void UrlPlace::TakeScheme() {
  const bool web = absl::EqualsIgnoreCase(name_, "http") || absl::EqualsIgnoreCase(name_, "https");
  const bool mail = absl::EqualsIgnoreCase(name_, "mailto");
  at_ = web ? At::kSlashes : mail ? At::kPath : At::kOdd;
  name_.clear();
}

bool UrlPlace::TakeHole(Escape* escape) {
  *escape = at_ == At::kStart ? Escape::kUrl : Escape::kUrlPart;
  switch (at_) {
    case At::kStart:
      at_ = At::kWhole;
      return true;
    case At::kSlash:
    case At::kSlashHole:
      at_ = At::kSlashHole;
      return true;
    case At::kPath:
      return true;
    default:
      return false;
  }
}

}  // namespace pure::modules
