#pragma once

// ExtentHandle: one thread's view of an extent store: looks, reads, staged writes. Private to the
// extent store.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "store/committer.h"
#include "store/index.h"
#include "store/staging.h"
#include "store/store.h"
#include "store/value_parts.h"

namespace pure::store {

class ExtentHandle final : public StoreHandle {
 public:
  ExtentHandle(Index* index ABSL_ATTRIBUTE_LIFETIME_BOUND,
               Committer* committer ABSL_ATTRIBUTE_LIFETIME_BOUND, size_t save_bytes_max,
               bool verify_always, std::function<void()> after_commit);
  ~ExtentHandle() override;

  void TakeLook() override;
  void DropLook() override;
  Result Find(Bytes key, Found* found) override;
  Result FindToStage(Bytes key, Found* found) override;
  Result Peek(Bytes key, Found* found) override;
  Result Stage(Bytes key, uint64_t base_revision, absl::Span<const Bytes> pieces) override;
  Result StageErase(Bytes key, uint64_t base_revision) override;
  Result Commit() override;
  void Discard() override;
  absl::Span<const Staged> staged() const override { return staging_.results(); }
  size_t stage_bytes_left() const override { return staging_.payload_bytes_left(); }

 private:
  Result Lend(Bytes key, bool verified, Found* found);
  void RememberLent(Bytes key, absl::Span<const StoredExtent> extents);
  void ForgetLent();
  void ForgetShared();
  Result Verify(Bytes key, const Version& version, absl::Span<const StoredExtent> extents);

  Index* const index_;
  Committer* const committer_;
  const bool verify_always_;
  const std::function<void()> after_commit_;
  LookSlot look_;
  // What was lent last, held: pieces to stage may lie in it.
  std::string lent_key_;
  std::vector<StoredExtent> lent_;
  std::vector<StoredExtent> shared_;  // what was lent and is staged again, held until the save
  ValueParts value_;                  // being staged
  Staging staging_;
  CommitRequest request_;
};

}  // namespace pure::store
