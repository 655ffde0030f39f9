#include "bench/store/splice_cost.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "bench/store/pieces.h"
#include "bench/store/real_store.h"
#include "platforms/linux/clock.h"
#include "runtime/bytes.h"
#include "runtime/result.h"
#include "store/extent_store.h"
#include "store/store.h"

namespace pure::bench {
namespace {

constexpr char kDocument[] = "document";
constexpr char kPlain[] = "plain";
constexpr size_t kPlainBytes = 100;
// Not a power of two, so that a piece at a wrong place is seen.
constexpr size_t kPatternBytes = 65'537;

class Run final {
 public:
  Run(const SpliceCostOptions& options, store::ExtentStore* store)
      : options_(options),
        store_(store),
        handle_(store->NewHandle()),
        pattern_(SeededBytes(1, kPatternBytes)),
        plain_(SeededBytes(2, kPlainBytes)) {}

  // The document, by appends that share what is there.
  absl::Status Make() {
    const std::vector<Bytes> pieces = Repeated(pattern_, options_.document_bytes);
    std::vector<Bytes> added;
    size_t added_bytes = 0;
    for (size_t i = 0; i < pieces.size(); ++i) {
      added.push_back(pieces[i]);
      added_bytes += pieces[i].size();
      if (added_bytes < options_.append_bytes && i + 1 < pieces.size()) continue;
      const absl::Status status = Change(kDocument, [&](absl::Span<const Bytes> old) {
        std::vector<Bytes> all(old.begin(), old.end());
        all.insert(all.end(), added.begin(), added.end());
        return all;
      });
      if (!status.ok()) return status;
      added.clear();
      added_bytes = 0;
    }
    // As after some quiet: what the appends left to be merged has been.
    handle_->DropLook();
    store_->SealTail();
    while (store_->DoBackgroundWork()) {
    }
    return absl::OkStatus();
  }

  absl::Status Round(uint32_t round, SpliceCostReport* report) {
    absl::Status status = Measure(&report->put, [&] {
      return Change(kPlain, [&](absl::Span<const Bytes>) { return std::vector<Bytes>{plain_}; });
    });
    if (!status.ok()) return status;
    const std::string spliced = absl::StrFormat("s%09d", round);
    status = Measure(&report->splice, [&] {
      return Change(kDocument,
                    [&](absl::Span<const Bytes> old) { return Spliced(old, middle(), spliced); });
    });
    if (!status.ok()) return status;
    spliced_.insert(0, spliced);
    const std::string appended = absl::StrFormat("a%09d", round);
    status = Measure(&report->append, [&] {
      return Change(kDocument, [&](absl::Span<const Bytes> old) {
        std::vector<Bytes> all(old.begin(), old.end());
        all.push_back(appended);
        return all;
      });
    });
    appended_ += appended;
    return status;
  }

  // Reads the document with its checksums verified.
  absl::Status ReadBack(SpliceCostReport* report) {
    handle_->TakeLook();
    store::Found found;
    const Result result = handle_->Find(kDocument, &found);
    if (result != Result::kOk) return Failed("reading back", result);
    report->spans = found.value.spans().size();
    report->right = SameBytes(found.value.spans(), Expected());
    return absl::OkStatus();
  }

 private:
  static absl::Status Failed(Bytes what, Result result) {
    return absl::UnavailableError(absl::StrCat(what, ": ", ResultName(result)));
  }

  uint64_t middle() const { return options_.document_bytes / 2; }

  // Lent by this run.
  std::vector<Bytes> Expected() const {
    std::vector<Bytes> pieces =
        Spliced(Repeated(pattern_, options_.document_bytes), middle(), spliced_);
    pieces.push_back(appended_);
    return pieces;
  }

  // Gives the key the pieces that `change` makes of those it has.
  template <typename Make>
  absl::Status Change(Bytes key, Make change) {
    handle_->TakeLook();
    store::Found found;
    Result result = handle_->FindToStage(key, &found);
    if (result != Result::kOk) return Failed("finding to stage", result);
    result = handle_->Stage(key, found.revision, change(found.value.spans()));
    if (result != Result::kOk) return Failed("staging", result);
    result = handle_->Commit();
    if (result == Result::kOk) result = handle_->staged()[0].result;
    return result == Result::kOk ? absl::OkStatus() : Failed("the save", result);
  }

  template <typename Write>
  absl::Status Measure(WriteCost* cost, Write write) {
    const uint64_t before_bytes = store_->counters().written_bytes;
    const int64_t begin_ns = clock_.MonotonicNs();
    const absl::Status status = write();
    cost->ns.Record(static_cast<uint64_t>(clock_.MonotonicNs() - begin_ns));
    cost->frame_bytes.Record(store_->counters().written_bytes - before_bytes);
    return status;
  }

  const SpliceCostOptions& options_;
  store::ExtentStore* const store_;
  const std::unique_ptr<store::StoreHandle> handle_;
  const std::string pattern_;
  const std::string plain_;
  std::string spliced_;   // what is in the middle: each splice came before the older ones
  std::string appended_;  // what is at the end
  LinuxClock clock_;
};

}  // namespace

absl::StatusOr<SpliceCostReport> MeasureSpliceCost(const SpliceCostOptions& options) {
  if (options.directory.empty()) return absl::InvalidArgumentError("directory: name one");
  if (options.document_bytes == 0 || options.append_bytes == 0) {
    return absl::InvalidArgumentError("document_bytes, append_bytes: at least 1");
  }
  absl::StatusOr<std::unique_ptr<RealStore>> real = RealStore::Make(options.directory, {});
  if (!real.ok()) return real.status();
  SpliceCostReport report;
  {
    Run run(options, (*real)->store());
    absl::Status status = run.Make();
    for (uint32_t i = 0; i < options.rounds && status.ok(); ++i) status = run.Round(i, &report);
    if (status.ok()) status = run.ReadBack(&report);
    if (!status.ok()) return status;
  }
  const absl::Status status = (*real)->Close();
  if (!status.ok()) return status;
  return report;
}

}  // namespace pure::bench
