// Random calls in random order against a model that keeps a map of tickets and sums the obvious
// way.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/runtime.h"
#include "tests/testing/counting_memory.h"
#include "tests/testing/seeded_entropy.h"

namespace pure {
namespace {

constexpr size_t kBodyBytesMax = 200;

struct Request {
  enum class State { kFilling, kReady, kTaken, kCompleted };

  State state = State::kFilling;
  Kind kind = Kind::kRead;
  size_t ingress_bytes = 0;
  size_t body_bytes = 0;
  Result result = Result::kOk;
  uint64_t revision = 0;
  bool released = false;
  char mark = 0;  // what its payload is filled with
};

// Orders tickets, for the map.
uint64_t Number(Ticket ticket) { return uint64_t{ticket.generation} << 32 | ticket.slot; }

// The runtime beside its model. Each step makes one call on both and compares what they say.
class Model {
 public:
  Model(uint64_t seed, uint32_t slots, size_t budget_bytes)
      : entropy_(seed),
        slots_(slots),
        budget_bytes_(budget_bytes),
        runtime_(RuntimeOptions{.slots = slots, .budget_bytes = budget_bytes}, &memory_) {}

  void Step() {
    switch (entropy_.Below(8)) {
      case 0:
      case 1:
        Accept();
        break;
      case 2:
        Ready(AnyTicket());
        break;
      case 3:
        Take();
        break;
      case 4:
      case 5:
        Complete(AnyTicket());
        break;
      case 6:
        Release(AnyTicket());
        break;
      default:
        DropIngress(AnyTicket());
        break;
    }
    Compare();
  }

  // Everybody leaves, and everything that was accepted is applied.
  void Drain() {
    runtime_.Stop();
    stopped_ = true;
    while (!requests_.empty()) {
      std::vector<Ticket> tickets;
      for (const auto& [number, request] : requests_) tickets.push_back(TicketOf(number));
      for (Ticket ticket : tickets) Release(ticket);
      while (!ready_.empty()) Take();
      for (Ticket ticket : tickets) Complete(ticket);
      Compare();
    }
    EXPECT_EQ(runtime_.active(), 0u);
    EXPECT_EQ(runtime_.budget().retained_bytes(), 0u);
    EXPECT_EQ(runtime_.counters().releases, runtime_.counters().accepted);
    EXPECT_EQ(memory_.live_blocks(), 0u);
    EXPECT_EQ(lent_, 0);
  }

  const RuntimeCounters& counters() const { return runtime_.counters(); }

 private:
  static Ticket TicketOf(uint64_t number) {
    return Ticket{static_cast<uint32_t>(number), static_cast<uint32_t>(number >> 32)};
  }
  static void TakeBack(void* lender, void*) { --static_cast<Model*>(lender)->lent_; }

  // Mostly one that is live, sometimes one of the past, sometimes one that never was.
  Ticket AnyTicket() {
    if (entropy_.OneIn(8) && !past_.empty()) return past_[entropy_.Below(past_.size())];
    if (requests_.empty() || entropy_.OneIn(50)) {
      return Ticket{static_cast<uint32_t>(entropy_.Below(slots_ + 2)),
                    static_cast<uint32_t>(entropy_.Below(4)) << 30};
    }
    auto chosen = requests_.begin();
    std::advance(chosen, entropy_.Below(requests_.size()));
    return TicketOf(chosen->first);
  }

  Request* Find(Ticket ticket) {
    const auto found = requests_.find(Number(ticket));
    return found == requests_.end() ? nullptr : &found->second;
  }

  size_t Retained() const {
    size_t sum = 0;
    for (const auto& [number, request] : requests_) {
      sum += request.ingress_bytes + request.body_bytes;
    }
    return sum;
  }

  void Accept() {
    Request request;
    request.kind = entropy_.OneIn(2) ? Kind::kRead : Kind::kWrite;
    if (request.kind == Kind::kWrite) request.ingress_bytes = entropy_.Below(kBodyBytesMax);
    request.mark = static_cast<char>(entropy_.Next());
    const bool memory_fails = entropy_.OneIn(10);
    if (memory_fails) memory_.FailAllocation(1);
    Result expected = Result::kOk;
    if (stopped_) {
      expected = Result::kStopped;
    } else if (requests_.size() == slots_) {
      expected = Result::kBusy;
    } else if (Retained() + request.ingress_bytes > budget_bytes_) {
      expected = Result::kBudget;
      ++rejections_;
    } else if (memory_fails && request.ingress_bytes > 0) {
      expected = Result::kAllocation;
    }
    Ticket ticket;
    ASSERT_EQ(runtime_.Accept(request.kind, Key("k"), Condition{}, request.ingress_bytes, &ticket),
              expected);
    memory_.FailAllocation(0);
    if (expected != Result::kOk) return;
    ++accepted_;
    ASSERT_EQ(Find(ticket), nullptr) << "a live ticket was given again";
    const MutableBytes ingress = runtime_.Ingress(ticket);
    ASSERT_EQ(ingress.size(), request.ingress_bytes);
    std::fill(ingress.begin(), ingress.end(), request.mark);
    requests_[Number(ticket)] = request;
  }

  void Ready(Ticket ticket) {
    Request* const request = Find(ticket);
    const bool expected = request != nullptr && request->state == Request::State::kFilling;
    ASSERT_EQ(runtime_.Ready(ticket), expected);
    if (!expected) return;
    request->state = Request::State::kReady;
    ready_.push_back(ticket);
  }

  void Take() {
    Effect effect;
    ASSERT_EQ(runtime_.Take(&effect), !ready_.empty());
    if (ready_.empty()) return;
    ASSERT_EQ(effect.ticket, ready_.front());
    ready_.pop_front();
    Request* const request = Find(effect.ticket);
    ASSERT_NE(request, nullptr);
    request->state = Request::State::kTaken;
    EXPECT_EQ(effect.kind, request->kind);
    EXPECT_EQ(effect.payload, std::string(request->ingress_bytes, request->mark));
    EXPECT_EQ(effect.available_bytes, budget_bytes_ - Retained());
    taken_[Number(effect.ticket)] = effect.payload;
  }

  void Complete(Ticket ticket) {
    static constexpr Result kResults[] = {Result::kOk, Result::kOk, Result::kOk, Result::kNotFound,
                                          Result::kConflict};
    static const std::string body_text(kBodyBytesMax, 'b');
    Request* const request = Find(ticket);
    const bool expected = request != nullptr && request->state == Request::State::kTaken;
    const Result result = kResults[entropy_.Below(std::size(kResults))];
    const uint64_t revision = entropy_.Below(100);
    const size_t body_bytes = entropy_.Below(kBodyBytesMax);
    if (expected) {
      EXPECT_EQ(taken_[Number(ticket)], std::string(request->ingress_bytes, request->mark))
          << "the payload changed while the effect ran";
      taken_.erase(Number(ticket));
    }
    ++lent_;
    ASSERT_EQ(runtime_.Complete(
                  ticket, result, revision,
                  Resource(Bytes(body_text).substr(0, body_bytes), &TakeBack, this, nullptr)),
              expected);
    if (!expected) return;
    request->state = Request::State::kCompleted;
    request->result = result;
    request->revision = revision;
    if (request->released) {
      Forget(ticket);
    } else if (result == Result::kOk && Retained() + body_bytes > budget_bytes_) {
      request->result = request->kind == Kind::kRead ? Result::kBudget : Result::kUncertain;
      ++rejections_;
    } else if (result == Result::kOk) {
      request->body_bytes = body_bytes;
    }
  }

  void Release(Ticket ticket) {
    Request* const request = Find(ticket);
    const bool expected = request != nullptr && !request->released;
    ASSERT_EQ(runtime_.Release(ticket), expected);
    if (!expected) return;
    request->released = true;
    if (request->state == Request::State::kFilling ||
        request->state == Request::State::kCompleted) {
      Forget(ticket);
    }
  }

  void DropIngress(Ticket ticket) {
    runtime_.DropIngress(ticket);
    Request* const request = Find(ticket);
    if (request != nullptr && request->state == Request::State::kCompleted) {
      request->ingress_bytes = 0;
    }
  }

  void Forget(Ticket ticket) {
    requests_.erase(Number(ticket));
    past_.push_back(ticket);
    ++releases_;
  }

  void Compare() {
    ASSERT_EQ(runtime_.budget().retained_bytes(), Retained());
    ASSERT_LE(runtime_.budget().retained_bytes_peak(), budget_bytes_);
    ASSERT_EQ(runtime_.active(), requests_.size());
    ASSERT_EQ(runtime_.free_slots(), slots_ - requests_.size());
    ASSERT_EQ(runtime_.ready_count(), ready_.size());
    ASSERT_EQ(runtime_.taken_count(), taken_.size());
    ASSERT_EQ(runtime_.counters().accepted, accepted_);
    ASSERT_EQ(runtime_.counters().releases, releases_);
    ASSERT_EQ(runtime_.counters().budget_rejections, rejections_);
    int lent = 0;
    for (const auto& [number, request] : requests_) {
      lent += request.body_bytes > 0 ? 1 : 0;
      Outcome outcome;
      const bool completed = request.state == Request::State::kCompleted;
      ASSERT_EQ(runtime_.OutcomeOf(TicketOf(number), &outcome), completed);
      if (!completed) continue;
      ASSERT_EQ(outcome.result, request.result);
      ASSERT_EQ(outcome.revision, request.revision);
      ASSERT_EQ(outcome.body->size_bytes(), request.body_bytes);
    }
    ASSERT_EQ(lent_, lent) << "a body was kept too long or returned too early";
  }

  testing::SeededEntropy entropy_;
  const uint32_t slots_;
  const size_t budget_bytes_;
  int lent_ = 0;  // bodies out in the runtime
  testing::CountingMemory memory_;
  Runtime runtime_;
  bool stopped_ = false;
  std::map<uint64_t, Request> requests_;
  std::map<uint64_t, Bytes> taken_;
  std::deque<Ticket> ready_;
  std::vector<Ticket> past_;
  uint64_t accepted_ = 0;
  uint64_t releases_ = 0;
  uint64_t rejections_ = 0;
};

TEST(RuntimeModelTest, RandomCallsAgreeWithTheModel) {
  uint64_t rejections = 0;
  uint64_t completed = 0;
  for (uint64_t seed = 0; seed < 250; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    testing::SeededEntropy shape(seed ^ 0x5EED);
    const uint32_t slots = 1 + static_cast<uint32_t>(shape.Below(12));
    const size_t budget_bytes = kBodyBytesMax * (1 + shape.Below(6)) / 2;
    Model model(seed, slots, budget_bytes);
    for (int step = 0; step < 1000 && !::testing::Test::HasFatalFailure(); ++step) model.Step();
    if (::testing::Test::HasFatalFailure()) return;
    model.Drain();
    rejections += model.counters().budget_rejections;
    completed += model.counters().reads + model.counters().writes;
  }
  // The paths that matter were walked, not only stale tickets.
  EXPECT_GT(rejections, 1000u);
  EXPECT_GT(completed, 4000u);
}

}  // namespace
}  // namespace pure
