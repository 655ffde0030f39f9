#include "store/simulated/crash_enumerator.h"

#include <algorithm>
#include <memory>
#include <set>

#include "absl/strings/str_cat.h"
#include "runtime/check.h"
#include "store/simulated/random.h"

namespace pure::store {
namespace {

constexpr size_t kStaleSectorsMax = 64;

// At most `max` of 0..count-1, evenly spread, the first and the last among them.
std::vector<size_t> Spread(size_t count, size_t max) {
  std::vector<size_t> picks;
  if (count <= max) {
    for (size_t i = 0; i < count; ++i) picks.push_back(i);
    return picks;
  }
  for (size_t i = 0; i < max; ++i) {
    picks.push_back(max == 1 ? 0 : i * (count - 1) / (max - 1));
  }
  return picks;
}

// Where a kill may cut a write of `size` bytes: inside it, never at its ends.
std::vector<uint64_t> KillCuts(uint64_t offset, uint64_t size, size_t max, Random* random) {
  std::set<uint64_t> cuts;
  if (size <= max) {
    for (uint64_t cut = 1; cut < size; ++cut) cuts.insert(cut);
  } else {
    for (uint64_t edge = kSectorBytes - offset % kSectorBytes; edge < size; edge += kSectorBytes) {
      cuts.insert(edge);
    }
    std::vector<uint64_t> edges(cuts.begin(), cuts.end());
    cuts.clear();
    for (const size_t pick : Spread(edges.size(), max / 2)) cuts.insert(edges[pick]);
    while (cuts.size() < std::min<uint64_t>(max, size - 1))
      cuts.insert(1 + random->Below(size - 1));
  }
  return std::vector<uint64_t>(cuts.begin(), cuts.end());
}

}  // namespace

std::string CrashPoint::Describe() const {
  std::string text = absl::StrCat("after ", operations_done, " operations");
  if (operations_done > 0) {
    absl::StrAppend(&text, " (", DescribeOperation(journal->operations[operations_done - 1]), ")");
  }
  if (written_bytes > 0) {
    absl::StrAppend(&text, " and ", written_bytes, " bytes of (",
                    DescribeOperation(journal->operations[operations_done]), ")");
  }
  absl::StrAppend(&text, ", acknowledged ", acknowledged);
  if (!power_cut) return absl::StrCat(text, ": kill");
  absl::StrAppend(&text, ": power cut", torn_edges ? ", torn" : "", garbage ? ", garbage" : "",
                  ", survivors ");
  for (const bool survives_too : *survives) text.push_back(survives_too ? '1' : '0');
  return text;
}

// One pass over the journal.
class CrashEnumerator::Run final {
 public:
  Run(const CrashEnumerator& enumerator, Visitor visit)
      : journal_(enumerator.journal_), options_(enumerator.options_), visit_(visit) {
    point_.journal = &journal_;
  }

  CrashCounts All() {
    state_ = journal_.initial;
    size_t boundary = 0;
    for (size_t i = 0; i <= journal_.operations.size() && !stopped_; ++i) {
      const bool at_end = i == journal_.operations.size();
      // A mark changes what must hold, not the disk: the boundary counts once, after its marks.
      const bool before_mark = !at_end && journal_.operations[i].kind == CallKind::kMark;
      const bool nothing_new = i > 0 && journal_.operations[i - 1].kind != CallKind::kMark &&
                               HadNoEffect(journal_.operations[i - 1]);
      if (!before_mark && !nothing_new) {
        if (boundary++ % options_.shards == options_.shard) VisitBoundary(i);
      }
      if (!at_end) Step(journal_.operations[i]);
    }
    return counts_;
  }

 private:
  void Step(const DiskOperation& operation) {
    state_.Apply(operation);
    if (operation.kind == CallKind::kMark && operation.name == kAcknowledgedMark) {
      point_.acknowledged = operation.size_bytes;
    }
    if (operation.kind == CallKind::kWrite) RememberStale(operation);
  }

  void VisitBoundary(size_t operations_done) {
    point_.operations_done = operations_done;
    point_.written_bytes = 0;
    random_ = Random(options_.seed + operations_done * 0x9e3779b97f4a7c15u);
    ++counts_.crash_points;
    if (options_.kills) VisitKill(state_);
    if (options_.power_cuts) VisitPowerCuts();
    const bool at_end = operations_done == journal_.operations.size();
    if (options_.kills && !at_end) VisitKillsInside(journal_.operations[operations_done]);
  }

  void VisitKillsInside(const DiskOperation& operation) {
    if (operation.kind != CallKind::kWrite) return;
    const std::string& bytes = *operation.bytes;
    const std::vector<uint64_t> cuts =
        KillCuts(operation.offset, bytes.size(), options_.kill_cuts_max, &random_);
    for (const uint64_t cut : cuts) {
      if (stopped_) return;
      DiskOperation part = operation;
      part.bytes = std::make_shared<const std::string>(bytes, 0, cut);
      DiskImage image = state_;
      image.Apply(part);
      point_.written_bytes = cut;
      ++counts_.crash_points;
      VisitKill(image);
    }
    point_.written_bytes = 0;
  }

  void VisitKill(const DiskImage& image) {
    point_.power_cut = false;
    Visit(image.AfterKill());
  }

  void VisitPowerCuts() {
    const std::vector<UnsettledChange> unsettled = state_.Unsettled();
    const size_t count = unsettled.size();
    if (count <= options_.exhaustive_changes) {
      for (uint64_t bits = 0; bits < uint64_t{1} << count; ++bits) {
        std::vector<bool> survives(count);
        for (size_t i = 0; i < count; ++i) survives[i] = (bits >> i & 1u) != 0;
        VisitPowerCut(unsettled, survives, PowerCutStyle{});
      }
    } else {
      VisitSomeSubsets(unsettled);
    }
    PowerCutStyle style;
    style.torn_edges = true;
    for (size_t i = 0; count > 0 && i < options_.torn_images; ++i) VisitRandom(unsettled, style);
    style.torn_edges = false;
    style.garbage = true;
    style.stale = stale_;
    for (size_t i = 0; i < options_.garbage_images; ++i) VisitRandom(unsettled, style);
  }

  void VisitSomeSubsets(const std::vector<UnsettledChange>& unsettled) {
    const size_t count = unsettled.size();
    VisitPowerCut(unsettled, std::vector<bool>(count, true), PowerCutStyle{});
    for (const size_t prefix : Spread(count, options_.prefixes_max)) {
      std::vector<bool> survives(count, false);
      std::fill_n(survives.begin(), prefix, true);
      VisitPowerCut(unsettled, survives, PowerCutStyle{});
    }
    for (const size_t lost : Spread(count, options_.single_losses_max)) {
      std::vector<bool> survives(count, true);
      survives[lost] = false;
      VisitPowerCut(unsettled, survives, PowerCutStyle{});
    }
    for (size_t i = 0; i < options_.random_subsets; ++i) VisitRandom(unsettled, PowerCutStyle{});
  }

  // From subset to subset another share survives: few losses and few survivors are the rare cases.
  void VisitRandom(const std::vector<UnsettledChange>& unsettled, PowerCutStyle style) {
    std::vector<bool> survives(unsettled.size());
    const uint64_t share = 1 + random_.Below(15);
    for (size_t i = 0; i < survives.size(); ++i) survives[i] = random_.Below(16) < share;
    style.seed = random_.Next();
    VisitPowerCut(unsettled, survives, style);
  }

  void VisitPowerCut(const std::vector<UnsettledChange>& unsettled,
                     const std::vector<bool>& survives, const PowerCutStyle& style) {
    if (stopped_) return;
    point_.power_cut = true;
    point_.torn_edges = style.torn_edges;
    point_.garbage = style.garbage;
    point_.survives = &survives;
    Visit(state_.AfterPowerCut(unsettled, survives, style));
  }

  void Visit(const DiskImage& image) {
    if (stopped_) return;
    ++counts_.images;
    if (!visit_(point_, image)) stopped_ = true;
  }

  // Keeps one sector of the write for later garbage.
  void RememberStale(const DiskOperation& operation) {
    const std::string& bytes = *operation.bytes;
    if (bytes.size() < kSectorBytes) return;
    const size_t begin = bytes.size() / kSectorBytes > 1 && (stale_count_ & 1u) != 0
                             ? bytes.size() / kSectorBytes / 2 * kSectorBytes
                             : 0;
    auto sector = std::make_shared<Sector>();
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(begin), kSectorBytes, sector->begin());
    if (stale_.size() < kStaleSectorsMax) stale_.emplace_back();
    stale_[stale_count_++ % kStaleSectorsMax] = {operation.file, std::move(sector)};
  }

  const DiskJournal& journal_;
  const CrashOptions& options_;
  const Visitor visit_;
  DiskImage state_;
  CrashPoint point_;
  CrashCounts counts_;
  Random random_{0};
  std::vector<StaleSector> stale_;
  size_t stale_count_ = 0;
  bool stopped_ = false;
};

CrashEnumerator::CrashEnumerator(const DiskJournal& journal, const CrashOptions& options)
    : journal_(journal), options_(options) {
  PURE_CHECK(options.shard < options.shards, "a shard of these");
  PURE_CHECK(options.exhaustive_changes < 32, "2^changes images");
}

CrashCounts CrashEnumerator::ForEach(Visitor visit) const { return Run(*this, visit).All(); }

}  // namespace pure::store
