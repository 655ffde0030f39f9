#pragma once

// States: the values of a module's states: as they were saved last, and as the events of the burst
// at hand have made them since.
//
// Thread: one thread's, the owner's. Lifetime: borrows the module. Cost: taking a copy of all
// states is O(states); a save writes the chunks that differ (rows/saved_rows.h).

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "modules/look.h"
#include "modules/module.h"
#include "modules/published_look.h"
#include "modules/rows/rows.h"
#include "runtime/bytes.h"
#include "runtime/result.h"
#include "store/store.h"

namespace pure::modules {

// Where a store keeps the text of the module that wrote it.
inline constexpr Bytes kModuleKey("\0module", 7);

class States {
 public:
  // The states of `module` as `store` has them; it may have none. Those that the store has not yet
  // get their first values; these and the module's text, where it is new, are saved with one commit
  // before it returns. FailedPrecondition: as CheckCarried says; nothing was written.
  // InvalidArgument: a first value can not be made. DataLoss: stored states are damaged, or the
  // text of the module that wrote them. Else as the failed save says.
  static absl::Status Open(const Module& module, Bytes text, store::Store* store,
                           std::unique_ptr<States>* states);

  // The same without opening: whether the store's module would let `module` go on. OK or
  // FailedPrecondition or DataLoss.
  static absl::Status CheckCarried(const Module& module, store::Store* store);

  // As the events of this burst have made them. What they were before may be put back.
  std::vector<Rows>& now() ABSL_ATTRIBUTE_LIFETIME_BOUND { return now_; }

  // As they were saved last. Its commit goes on over restarts and never back.
  const Look& saved() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return saved_; }
  // The commit that `now` is or will be.
  uint64_t next_commit() const { return saved_.commit + (Changed() ? 1 : 0); }
  // Publishes what is saved, now and after each save. Borrowed.
  void PublishTo(PublishedLook* published);

  // Whether an event of this burst has changed one of these, or any.
  bool Changed(absl::Span<const uint16_t> states) const;
  bool Changed() const;
  // Stages what differs from what was saved. REQUIRES: a look is held, and Changed(). As
  // StoreHandle::Stage. What is staged is borrowed until Settle.
  Result Stage(store::StoreHandle* handle);
  // After the save: what was staged is saved, or, when it was not, was never there.
  void Settle(bool saved);

 private:
  explicit States(const Module& module);
  absl::Status Load(store::Store* store, store::StoreHandle* handle);
  // `old_module`: the one that wrote the store; null: none.
  absl::Status MakeFirst(const Module* old_module);

  const Module& module_;
  Look saved_;
  std::vector<Rows> now_;
  PublishedLook* published_ = nullptr;
};

}  // namespace pure::modules
