#pragma once

// ExtentStore: the durable store of one machine, over a directory of segment files (files.h).
//
// A save is one frame, one gathered write and one sync for all handles that wait to commit. Values
// are lent from mapped segments after their checksum was verified. A failed sync ends all writing
// for the life of the process.
//
// Threads: as store.h; no thread of its own. DoBackgroundWork is called by background.h in
// production, by hand in tests. Lifetime: owns its files; lent values outlive it. Destroying it
// without Close is as safe as a kill.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/bytes.h"
#include "runtime/port.h"
#include "runtime/result.h"
#include "store/damage.h"
#include "store/files.h"
#include "store/store.h"

namespace pure::store {

struct ExtentStoreOptions {
  // When the checksum of a value is verified: at every Find, or at the first one of each version
  // only (a page that was evicted after its check can come back different).
  enum class Verify : uint8_t { kAlways, kFirst };

  uint64_t segment_bytes = 64u << 20;  // length of a segment file once the store has grown
  uint64_t first_segment_bytes =
      1u << 20;  // of the first one; each is twice as long as the one before
  // Sealed frames that an opening has to walk, about; then a checkpoint is written.
  uint64_t checkpoint_after_bytes = 64u << 20;
  Verify verify = Verify::kAlways;
  size_t save_bytes_max = 64u << 20;  // payload of one save; at most 1 GiB
  int lock_wait_ms = 250;
  bool read_only = false;      // changes no byte but the lock file; commits end with kStorage
  Entropy* entropy = nullptr;  // borrowed for the store's life; required unless read_only
  // Called now and then while the store opens, with the bytes read and those to read; may be null.
  std::function<void(uint64_t done, uint64_t all)> open_progress;
  // Called once, when a sync failed and nothing can be written any more: by the thread that found
  // it, which may be a committing one or the background. Null: nobody wants to know.
  std::function<void()> on_failed_sync;
};

struct VerifyReport {
  uint64_t frames = 0;
  uint64_t values = 0;       // newest versions
  uint64_t value_bytes = 0;  // of them
  std::vector<Damage> damages;
};

class ExtentStore final : public Store {
 public:
  // Opens the store in `directory`, or makes one when it is empty.
  // DataLoss: damaged; nothing was changed, and the text names segment and offset.
  // FailedPrecondition: in use by another process, of another format version, a directory of
  // something else. NotFound: read_only and no store there. ResourceExhausted, PermissionDenied,
  // Unavailable: as the text says. InvalidArgument: the options.
  static absl::StatusOr<std::unique_ptr<ExtentStore>> Open(std::unique_ptr<Directory> directory,
                                                           const ExtentStoreOptions& options);
  ~ExtentStore() override;

  std::unique_ptr<StoreHandle> NewHandle() override;
  Result List(
      Bytes prefix,
      const std::function<bool(Bytes key, uint64_t revision, size_t size_bytes)>& visit) override;
  StoreState state() const override;
  absl::Status failure() const override;
  StoreCounters counters() const override;
  absl::Status Close() override;

  // One bounded step of work off the commit path: the next segment, compaction, merging of long
  // lists of extents, the checkpoint. True: there is more to do.
  // Thread: any one.
  bool DoBackgroundWork();
  // Whether a rest before the next step would make commits wait.
  bool BackgroundIsUrgent() const;
  enum class Awaited : uint8_t {
    kWork,
    kQuiet,  // nothing to do, and no save for so long. Told once, until the next save
    kStopped,
  };
  Awaited AwaitBackgroundWork(int quiet_ms);
  // When it is quiet: proves the last save by an empty one behind it, so that a later cut can not
  // make it look like one that was being written. Merges that were put off are work again.
  void SealTail();
  // Waits for so long, or until StopBackground.
  void RestBackground(int64_t duration_us);
  void StopBackground();

  // Compacts until hardly any dead bytes are left, beyond what the background would do. Commits may
  // go on; a stop anywhere is harmless. `progress` as Verify's. DataLoss: a value is
  // damaged and could not be moved, now or in the background before; it stays where it is. Else as
  // the failed save.
  absl::Status Compact(const std::function<void(uint64_t done, uint64_t all)>& progress = nullptr);

  // Checks every byte of every save: headers, entries, extents, padding. Thread: any; commits may
  // go on. `progress` is called now and then with the bytes done and of all. ResourceExhausted: no
  // memory. What is damaged is in the report.
  absl::Status Verify(VerifyReport* report,
                      const std::function<void(uint64_t done, uint64_t all)>& progress = nullptr);

  // Bytes that opening had to copy because the last run did not close. 0 after a clean stop.
  uint64_t repaired_bytes() const;

 private:
  class Core;
  explicit ExtentStore(std::unique_ptr<Core> core);

  const std::unique_ptr<Core> core_;
};

}  // namespace pure::store
