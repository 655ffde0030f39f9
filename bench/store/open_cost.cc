#include "bench/store/open_cost.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "bench/store/child_process.h"
#include "bench/store/pieces.h"
#include "bench/store/real_store.h"
#include "platforms/linux/clock.h"
#include "runtime/bytes.h"
#include "runtime/check.h"
#include "runtime/result.h"
#include "store/extent_store.h"
#include "store/store.h"

namespace pure::bench {
namespace {

constexpr size_t kPatternBytes = 64u << 10;  // values begin at different places of it

absl::Status CheckOptions(const OpenCostOptions& options) {
  if (options.directory.empty()) return absl::InvalidArgumentError("directory: name one");
  if (options.keys == 0) return absl::InvalidArgumentError("keys: at least 1");
  if (options.opens == 0) return absl::InvalidArgumentError("opens: at least 1");
  return absl::OkStatus();
}

std::string Key(uint64_t number) { return absl::StrFormat("%016d", number); }

absl::Status Failed(Bytes what, Result result) {
  return absl::UnavailableError(absl::StrCat(what, ": ", ResultName(result)));
}

// Writes the keys with saves as large as they may be. The store is not closed.
absl::StatusOr<int64_t> Make(const OpenCostOptions& options) {
  LinuxClock clock;
  const int64_t begin_ns = clock.MonotonicNs();
  absl::StatusOr<std::unique_ptr<RealStore>> real = RealStore::Make(options.directory, {});
  if (!real.ok()) return real.status();
  const std::string pattern = SeededBytes(1, kPatternBytes + options.value_bytes);
  const std::unique_ptr<store::StoreHandle> handle = (*real)->store()->NewHandle();
  for (uint64_t i = 0; i < options.keys; ++i) {
    const std::string key = Key(i);
    const Bytes value = Bytes(pattern).substr(i % kPatternBytes, options.value_bytes);
    Result result = handle->Stage(key, 0, absl::MakeConstSpan(&value, 1));
    if (result == Result::kLimit) {  // the save is full
      result = handle->Commit();
      if (result != Result::kOk) return Failed("a save", result);
      result = handle->Stage(key, 0, absl::MakeConstSpan(&value, 1));
    }
    if (result != Result::kOk) return Failed("staging", result);
  }
  const Result result = handle->Commit();
  if (result != Result::kOk) return Failed("the last save", result);
  return clock.MonotonicNs() - begin_ns;
}

// What the next opening finds behind the last segment that is sealed.
absl::Status WriteTail(const OpenCostOptions& options, store::ExtentStore* store) {
  const std::string value = SeededBytes(2, options.value_bytes);
  const Bytes piece = value;
  const std::unique_ptr<store::StoreHandle> handle = store->NewHandle();
  for (uint32_t i = 0; i < options.tail_saves; ++i) {
    const std::string key = Key(i % options.keys);
    handle->TakeLook();
    store::Found found;
    Result result = handle->Peek(key, &found);
    if (result == Result::kOk) {
      result = handle->Stage(key, found.revision, absl::MakeConstSpan(&piece, 1));
    }
    if (result == Result::kOk) result = handle->Commit();
    if (result != Result::kOk) return Failed("a save of the tail", result);
  }
  return absl::OkStatus();
}

absl::StatusOr<Opening> OpenOnce(const OpenCostOptions& options, bool close) {
  LinuxClock clock;
  const std::optional<ResidentMemory> before = ReadResidentMemory();
  const int64_t begin_ns = clock.MonotonicNs();
  absl::StatusOr<std::unique_ptr<RealStore>> real = RealStore::Open(options.directory, {});
  if (!real.ok()) return real.status();
  Opening opening{.ns = clock.MonotonicNs() - begin_ns};
  const std::optional<ResidentMemory> after = ReadResidentMemory();
  if (!before || !after) return absl::UnimplementedError("/proc/self/status has no RssAnon");
  opening.grown = {
      .own_bytes = after->own_bytes - std::min(after->own_bytes, before->own_bytes),
      .file_bytes = after->file_bytes - std::min(after->file_bytes, before->file_bytes)};
  const store::StoreCounters counters = (*real)->store()->counters();
  opening.index_bytes = counters.index_bytes;
  opening.repaired_bytes = (*real)->store()->repaired_bytes();
  if (counters.keys != options.keys || counters.live_bytes != options.keys * options.value_bytes) {
    return absl::DataLossError(absl::StrCat("opened with ", counters.keys, " keys and ",
                                            counters.live_bytes, " bytes of values"));
  }
  const absl::Status status = close ? (*real)->Close() : WriteTail(options, (*real)->store());
  if (!status.ok()) return status;
  return opening;
}

absl::StatusOr<std::vector<Opening>> OpenOften(const OpenCostOptions& options, bool close) {
  std::vector<Opening> openings;
  for (uint32_t i = 0; i <= options.opens; ++i) {
    const absl::StatusOr<Opening> opening =
        FromChild<Opening>([&] { return OpenOnce(options, close); });
    if (!opening.ok()) return opening.status();
    if (i > 0) openings.push_back(*opening);
  }
  return openings;
}

}  // namespace

absl::StatusOr<OpenCostReport> MeasureOpenCost(const OpenCostOptions& options) {
  const absl::Status status = CheckOptions(options);
  if (!status.ok()) return status;
  const absl::StatusOr<int64_t> make_ns = FromChild<int64_t>([&] { return Make(options); });
  if (!make_ns.ok()) return make_ns.status();
  absl::StatusOr<std::vector<Opening>> killed = OpenOften(options, false);
  if (!killed.ok()) return killed.status();
  absl::StatusOr<std::vector<Opening>> closed = OpenOften(options, true);
  if (!closed.ok()) return closed.status();
  const absl::StatusOr<DirectorySize> disk = SizeOfDirectory(options.directory);
  if (!disk.ok()) return disk.status();
  return OpenCostReport{.make_seconds = static_cast<double>(*make_ns) / 1e9,
                        .killed = *std::move(killed),
                        .closed = *std::move(closed),
                        .disk = *disk};
}

int64_t MedianNs(const std::vector<Opening>& openings) {
  PURE_CHECK(!openings.empty(), "there is an opening");
  std::vector<int64_t> times;
  for (const Opening& opening : openings) times.push_back(opening.ns);
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

}  // namespace pure::bench
