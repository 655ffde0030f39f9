#pragma once

// ScriptedHandle: a store handle that fails or delays what a test says, over a real one.
//
// Thread: one thread's. Lifetime: borrows the real one.

#include <cstddef>
#include <cstdint>
#include <functional>

#include "absl/types/span.h"
#include "runtime/bytes.h"
#include "runtime/result.h"
#include "store/store.h"

namespace pure::executor {

class ScriptedHandle final : public store::StoreHandle {
 public:
  explicit ScriptedHandle(store::StoreHandle* real) : real_(real) {}

  void TakeLook() override { real_->TakeLook(); }
  void DropLook() override { real_->DropLook(); }
  Result Find(Bytes key, store::Found* found) override { return real_->Find(key, found); }
  Result FindToStage(Bytes key, store::Found* found) override {
    return real_->FindToStage(key, found);
  }
  Result Peek(Bytes key, store::Found* found) override { return real_->Peek(key, found); }
  Result Stage(Bytes key, uint64_t base, absl::Span<const Bytes> pieces) override {
    if (staged_now == stages_max) return Result::kLimit;
    ++staged_now;
    return real_->Stage(key, base, pieces);
  }
  Result StageErase(Bytes key, uint64_t base) override { return real_->StageErase(key, base); }
  Result Commit() override {
    ++commits;
    staged_now = 0;
    if (before_commit) before_commit();
    if (commit_result != Result::kOk) {
      real_->Discard();
      return commit_result;
    }
    return real_->Commit();
  }
  void Discard() override { real_->Discard(); }
  absl::Span<const store::Staged> staged() const override { return real_->staged(); }
  size_t stage_bytes_left() const override { return real_->stage_bytes_left(); }

  int commits = 0;
  int staged_now = 0;
  int stages_max = 1000;
  Result commit_result = Result::kOk;
  std::function<void()> before_commit;

 private:
  store::StoreHandle* const real_;
};

}  // namespace pure::executor
