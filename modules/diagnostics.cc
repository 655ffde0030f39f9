#include "modules/diagnostics.h"

#include <algorithm>
#include <array>
#include <utility>

namespace pure::modules {
namespace {

constexpr size_t kComparedBytesMax = 64;  // names are no longer

// Edits between two names, where swapping neighbours is one edit (optimal string alignment).
size_t EditDistance(Bytes a, Bytes b) {
  std::array<std::array<size_t, kComparedBytesMax + 1>, 3>
      rows;  // the row before the last, the last, this one
  for (size_t j = 0; j <= b.size(); ++j) rows[1][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    rows[2][0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = rows[1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      rows[2][j] = std::min({changed, rows[1][j] + 1, rows[2][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        rows[2][j] = std::min(rows[2][j], rows[0][j - 2] + 1);
      }
    }
    rows[0] = rows[1];
    rows[1] = rows[2];
  }
  return rows[1][b.size()];
}

}  // namespace

void Diagnostics::Add(uint32_t offset, std::string what, std::string help) {
  for (const Diagnostic& kept : kept_) {
    if (kept.offset == offset) return;
  }
  if (kept_.size() == kDiagnosticsMax) {
    overflowed_ = true;
    return;
  }
  kept_.push_back({offset, std::move(what), std::move(help)});
}

std::vector<Diagnostic> Diagnostics::InFileOrder() const {
  std::vector<Diagnostic> ordered = kept_;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.offset < b.offset; });
  if (overflowed_) {
    ordered.push_back(
        {ordered.back().offset, "there are more errors; these are the first that were found", ""});
  }
  return ordered;
}

Bytes Diagnostics::Nearest(Bytes name, absl::Span<const Bytes> candidates) const {
  return kept_.size() == kDiagnosticsMax ? Bytes() : NearestName(name, candidates);
}

Bytes NearestName(Bytes name, absl::Span<const Bytes> candidates) {
  if (name.size() > kComparedBytesMax) return {};
  Bytes nearest;
  size_t nearest_distance = 1 + std::max<size_t>(1, name.size() / 3);
  for (Bytes candidate : candidates) {
    const size_t longer = std::max(name.size(), candidate.size());
    const size_t shorter = std::min(name.size(), candidate.size());
    if (longer > kComparedBytesMax || longer - shorter >= nearest_distance) continue;
    const size_t distance = EditDistance(name, candidate);
    // A name of one or two letters is near to everything: only a longer one that keeps most of it
    // counts.
    if (distance < nearest_distance && distance + 1 < longer) {
      nearest = candidate;
      nearest_distance = distance;
    }
  }
  return nearest;
}

}  // namespace pure::modules
