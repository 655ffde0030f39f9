#include "platforms/server/progress.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace pure::server {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kQuietNs = kSecondNs;
constexpr int64_t kRedrawNs = kSecondNs / 10;
constexpr Bytes kClearLine = "\r\x1b[K";

std::string SizeText(double bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1024;
  return absl::StrFormat("%.*f %s", unit == 0 ? 0 : 1, bytes, kUnits[unit]);
}

std::string TimeText(double seconds) {
  const auto whole = static_cast<uint64_t>(std::clamp(seconds, 0.0, 1e9) + 0.5);
  if (whole < 60) return absl::StrCat(whole, " s");
  if (whole < 3600) return absl::StrCat(whole / 60, " min ", whole % 60, " s");
  return absl::StrCat(whole / 3600, " h ", whole / 60 % 60, " min");
}

}  // namespace

Progress::~Progress() {
  if (shown_) terminal_(kClearLine);
}

void Progress::Update(uint64_t done_bytes, uint64_t all_bytes) {
  if (terminal_ == nullptr || done_bytes == 0) return;
  const int64_t now_ns = clock_->MonotonicNs();
  if (now_ns - begun_ns_ < kQuietNs || now_ns - drawn_ns_ < kRedrawNs) return;
  drawn_ns_ = now_ns;
  shown_ = true;
  terminal_(absl::StrCat(kClearLine, Line(done_bytes, all_bytes, now_ns - begun_ns_)));
}

std::string Progress::Line(uint64_t done_bytes, uint64_t all_bytes, int64_t elapsed_ns) const {
  const auto done = static_cast<double>(done_bytes);
  const auto all = static_cast<double>(std::max(all_bytes, done_bytes));
  const double rate = done * kSecondNs / static_cast<double>(elapsed_ns);
  return absl::StrCat(what_, "  ", static_cast<uint64_t>(100 * done / all), " %  ", SizeText(done),
                      " of ", SizeText(all), "  ", SizeText(rate), "/s  ",
                      TimeText((all - done) / rate), " left");
}

}  // namespace pure::server
