#include "executor/executor.h"

#include <algorithm>
#include <utility>

#include "executor/applied.h"
#include "runtime/check.h"

namespace pure::executor {
namespace {

// Each new try lost to a commit that another thread made meanwhile, so somebody always gets on; a
// request that loses this often is told to come back.
constexpr int kTriesMax = 64;

}  // namespace

Executor::Executor(const Parts& parts, size_t round_max)
    : parts_(parts),
      store_(parts.store),
      app_(parts.module, parts.store, parts.states, parts.budget),
      applied_(round_max),
      pending_(round_max),
      written_(round_max) {}

void Executor::Run(absl::Span<const Job> round, Finish finish) {
  PURE_CHECK(round.size() <= applied_.size(), "a round is larger than its executor");
  store_->TakeLook();
  for (size_t begin = 0; begin < round.size();) {
    const size_t end = ApplyBurst(round, begin);
    SaveBurst(round, begin, end);
    ++counters_.bursts;
    for (size_t i = begin; i < end; ++i)
      counters_.burst_events += applied_[i].result == Result::kOk;
    finish(absl::MakeSpan(applied_).subspan(begin, end - begin));
    begin = end;
  }
  store_->DropLook();
}

// Applies jobs from `begin` on until the burst has to end; returns where.
size_t Executor::ApplyBurst(absl::Span<const Job> round, size_t begin) {
  written_.Clear();
  last_save_ns_ = 0;
  size_t end = begin;
  while (end < round.size() && !written_.MayContain(round[end].effect.key) &&
         ApplyOne(round[end], end, end > begin)) {
    if (pending_[end].staged) written_.Insert(round[end].effect.key);
    ++end;
  }
  return end;
}

// Applies one job and keeps what came of it at `index`. False: its document would outgrow this save
// (only when it `may_defer`), so it belongs to the next burst.
bool Executor::ApplyOne(const Job& job, size_t index, bool may_defer) {
  modules::Reply reply;
  if (job.route.is_handler) {
    app_.ApplyHandler(job.route.index, NextMoment(job.route.index),
                      {job.effect.payload, job.route.encoding}, &reply);
  } else {
    app_.Apply(job.route.index, job.effect.key, job.effect.condition,
               {job.effect.payload, job.route.encoding}, &reply);
  }
  if (may_defer && reply.result == Result::kLimit) return false;
  FillApplied(job, &reply, &applied_[index]);
  pending_[index] = {reply.result == Result::kOk && reply.wrote, reply.staged_index};
  return true;
}

// One save for the burst, and again for what lost to other threads' commits.
void Executor::SaveBurst(absl::Span<const Job> round, size_t begin, size_t end) {
  for (int tries = 1;; ++tries) {
    if (!app_.StatesChanged() && !Pends(begin, end)) return app_.Settle(true);
    const Result save = CommitBurst();
    app_.Settle(save == Result::kOk);
    if (save != Result::kOk) return FailBurst(begin, end, save);
    const bool lost = KeepLosers(begin, end);
    store_->TakeLook();
    if (!lost) return;
    for (size_t i = begin; i < end; ++i) {
      if (!pending_[i].staged) continue;
      if (tries < kTriesMax) {
        (void)ApplyOne(round[i], i, false);
      } else {
        applied_[i].body.Reset();
        applied_[i].result = Result::kBusy;
        pending_[i].staged = false;
      }
    }
  }
}

bool Executor::Pends(size_t begin, size_t end) const {
  return std::any_of(pending_.begin() + static_cast<ptrdiff_t>(begin),
                     pending_.begin() + static_cast<ptrdiff_t>(end),
                     [](const Pending& pending) { return pending.staged; });
}

// Documents and states, with one save.
Result Executor::CommitBurst() {
  const int64_t begin_ns = parts_.clock == nullptr ? 0 : parts_.clock->MonotonicNs();
  if (app_.StatesChanged()) {
    const Result staged = app_.StageStates();
    if (staged != Result::kOk) {
      store_->Discard();
      return staged;
    }
  }
  const Result result = store_->Commit();
  if (parts_.clock != nullptr && result == Result::kOk) {
    last_save_ns_ = parts_.clock->MonotonicNs() - begin_ns;
  }
  return result;
}

// Time does not go back from one event to the next, whatever the clock does.
modules::Moment Executor::NextMoment(uint16_t handler) {
  modules::Moment moment;
  if (parts_.clock != nullptr) now_ms_ = std::max(now_ms_, parts_.clock->WallMs());
  moment.now_ms = now_ms_;
  // It is a call of the kernel.
  const bool wants_random = parts_.module->handlers()[handler].reads_random;
  if (wants_random && parts_.entropy != nullptr)
    moment.random = static_cast<int64_t>(parts_.entropy->Next());
  return moment;
}

// After a save: settles what it stored; what lost stays pending. True: something lost.
bool Executor::KeepLosers(size_t begin, size_t end) {
  bool lost = false;
  for (size_t i = begin; i < end; ++i) {
    if (!pending_[i].staged) continue;
    const store::Staged& staged = store_->staged()[pending_[i].staged_index];
    pending_[i].staged = staged.result != Result::kOk;
    lost |= pending_[i].staged;
  }
  return lost;
}

void Executor::FailBurst(size_t begin, size_t end, Result save) {
  for (size_t i = begin; i < end; ++i) {
    if (applied_[i].result != Result::kOk) continue;
    applied_[i].result = save;
    applied_[i].revision = 0;
    applied_[i].body.Reset();
    applied_[i].location.Reset();
    applied_[i].commit = 0;
  }
}

}  // namespace pure::executor
