#include "runtime/runtime.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/counting_memory.h"

namespace pure {
namespace {

constexpr uint32_t kSlots = 4;
constexpr size_t kBudgetBytes = 100;

struct Lender {
  int returns = 0;

  static void Return(void* lender, void*) { ++static_cast<Lender*>(lender)->returns; }
  Resource Lend(Bytes bytes) { return Resource(bytes, &Lender::Return, this, nullptr); }
};

class RuntimeTest : public ::testing::Test {
 protected:
  Ticket Accept(Kind kind, size_t payload_bytes) {
    Ticket ticket;
    EXPECT_EQ(runtime_.Accept(kind, Key("k"), Condition{}, payload_bytes, &ticket), Result::kOk);
    EXPECT_TRUE(ticket);
    return ticket;
  }
  Result TryAccept(size_t payload_bytes) {
    Ticket ticket;
    return runtime_.Accept(Kind::kWrite, Key("k"), Condition{}, payload_bytes, &ticket);
  }
  Effect Take() {
    Effect effect;
    EXPECT_TRUE(runtime_.Take(&effect));
    return effect;
  }
  // A request whose effect was taken and is not completed.
  Ticket Running(Kind kind, size_t payload_bytes) {
    const Ticket ticket = Accept(kind, payload_bytes);
    EXPECT_TRUE(runtime_.Ready(ticket));
    EXPECT_EQ(Take().ticket, ticket);
    return ticket;
  }
  Outcome OutcomeOf(Ticket ticket) {
    Outcome outcome;
    EXPECT_TRUE(runtime_.OutcomeOf(ticket, &outcome));
    return outcome;
  }
  // Every call that takes a ticket refuses this one, and nothing changes.
  void ExpectStale(Ticket ticket) {
    const uint32_t active = runtime_.active();
    const size_t retained_bytes = runtime_.budget().retained_bytes();
    Outcome outcome;
    Lender lender;
    EXPECT_TRUE(runtime_.Ingress(ticket).empty());
    EXPECT_FALSE(runtime_.Ready(ticket));
    EXPECT_FALSE(runtime_.Complete(ticket, Result::kOk, 1, lender.Lend("x")));
    EXPECT_EQ(lender.returns, 1);
    EXPECT_FALSE(runtime_.OutcomeOf(ticket, &outcome));
    EXPECT_FALSE(runtime_.Release(ticket));
    runtime_.DropIngress(ticket);
    EXPECT_EQ(runtime_.active(), active);
    EXPECT_EQ(runtime_.budget().retained_bytes(), retained_bytes);
  }
  void ExpectNothingHeld() {
    EXPECT_EQ(runtime_.active(), 0u);
    EXPECT_EQ(runtime_.free_slots(), kSlots);
    EXPECT_EQ(runtime_.ready_count(), 0u);
    EXPECT_EQ(runtime_.taken_count(), 0u);
    EXPECT_EQ(runtime_.budget().retained_bytes(), 0u);
    EXPECT_EQ(runtime_.counters().releases, runtime_.counters().accepted);
    EXPECT_EQ(memory_.live_blocks(), 0u);
  }

  testing::CountingMemory memory_;
  Runtime runtime_{RuntimeOptions{.slots = kSlots, .budget_bytes = kBudgetBytes}, &memory_};
};

TEST_F(RuntimeTest, AWriteLivesFromAcceptToRelease) {
  const Condition condition{.kind = Condition::Kind::kRevision, .revision = 6};
  Ticket ticket;
  ASSERT_EQ(runtime_.Accept(Kind::kWrite, Key("page"), condition, 5, &ticket), Result::kOk);
  EXPECT_EQ(runtime_.budget().retained_bytes(), 5u) << "charged before a byte of it is read";
  const MutableBytes ingress = runtime_.Ingress(ticket);
  ASSERT_EQ(ingress.size(), 5u);
  runtime_.CopyPrefix(ticket, "he");
  std::copy_n("llo", 3, ingress.begin() + 2);
  ASSERT_TRUE(runtime_.Ready(ticket));
  EXPECT_EQ(runtime_.ready_count(), 1u);

  const Effect effect = Take();
  EXPECT_EQ(effect.ticket, ticket);
  EXPECT_EQ(effect.kind, Kind::kWrite);
  EXPECT_EQ(effect.key, Key("page"));
  EXPECT_EQ(effect.condition.kind, Condition::Kind::kRevision);
  EXPECT_EQ(effect.condition.revision, 6u);
  EXPECT_EQ(effect.payload, "hello");
  EXPECT_EQ(effect.payload.data(), ingress.data()) << "lent, not copied";
  EXPECT_EQ(effect.available_bytes, 95u);
  EXPECT_EQ(runtime_.taken_count(), 1u);

  ASSERT_TRUE(runtime_.Complete(ticket, Result::kOk, 7, Resource()));
  const Outcome outcome = OutcomeOf(ticket);
  EXPECT_EQ(outcome.result, Result::kOk);
  EXPECT_EQ(outcome.revision, 7u);
  EXPECT_EQ(outcome.body->size_bytes(), 0u);
  EXPECT_TRUE(runtime_.Release(ticket));
  ExpectNothingHeld();
  EXPECT_EQ(runtime_.counters().writes, 1u);
  EXPECT_EQ(runtime_.counters().reads, 0u);
  EXPECT_EQ(runtime_.counters().ingress_prefix_copy_bytes, 2u);
}

TEST_F(RuntimeTest, AReadLendsItsAnswerUntilRelease) {
  Lender lender;
  const Ticket ticket = Running(Kind::kRead, 0);
  EXPECT_EQ(memory_.allocations(), 0u);
  const std::array<Bytes, 2> spans = {"one ", "two"};
  ASSERT_TRUE(runtime_.Complete(ticket, Result::kOk, 3,
                                Resource(spans, &Lender::Return, &lender, nullptr)));
  EXPECT_EQ(runtime_.budget().retained_bytes(), 7u);
  const Outcome outcome = OutcomeOf(ticket);
  ASSERT_EQ(outcome.body->spans().size(), 2u);
  EXPECT_EQ(outcome.body->spans()[1].data(), spans[1].data()) << "lent, not copied";
  EXPECT_EQ(lender.returns, 0);
  EXPECT_TRUE(runtime_.Release(ticket));
  EXPECT_EQ(lender.returns, 1);
  ExpectNothingHeld();
  EXPECT_EQ(runtime_.counters().reads, 1u);
  EXPECT_EQ(runtime_.counters().borrowed_output_bytes, 7u);
}

TEST_F(RuntimeTest, TheBudgetIsExactToTheByte) {
  const Ticket first = Accept(Kind::kWrite, 60);
  EXPECT_EQ(TryAccept(41), Result::kBudget);
  EXPECT_EQ(runtime_.budget().retained_bytes(), 60u) << "a refusal retains nothing";
  const Ticket second = Accept(Kind::kWrite, 40);
  EXPECT_EQ(TryAccept(1), Result::kBudget);
  const Ticket empty = Accept(Kind::kWrite, 0);
  EXPECT_EQ(runtime_.counters().budget_rejections, 2u);
  EXPECT_EQ(runtime_.counters().accepted, 3u);
  for (Ticket ticket : {first, second, empty}) EXPECT_TRUE(runtime_.Release(ticket));
  EXPECT_EQ(runtime_.budget().retained_bytes_peak(), 100u);
  ExpectNothingHeld();
  EXPECT_EQ(TryAccept(SIZE_MAX), Result::kBudget);
  ExpectNothingHeld();
}

TEST_F(RuntimeTest, MissingMemoryRefusesAndRefunds) {
  memory_.FailAllocation(1);
  EXPECT_EQ(TryAccept(10), Result::kAllocation);
  ExpectNothingHeld();
  EXPECT_EQ(runtime_.counters().accepted, 0u);
  EXPECT_TRUE(runtime_.Release(Accept(Kind::kWrite, 100)));
  ExpectNothingHeld();
}

TEST_F(RuntimeTest, WithoutAFreeSlotItIsBusyAndChargesNothing) {
  std::vector<Ticket> tickets;
  for (uint32_t i = 0; i < kSlots; ++i) tickets.push_back(Accept(Kind::kRead, 0));
  EXPECT_EQ(runtime_.free_slots(), 0u);
  EXPECT_EQ(TryAccept(10), Result::kBusy);
  EXPECT_EQ(runtime_.budget().retained_bytes(), 0u);
  EXPECT_TRUE(runtime_.Release(tickets.back()));
  EXPECT_EQ(TryAccept(10), Result::kOk);
}

TEST_F(RuntimeTest, ATicketIsStaleAfterRelease) {
  const Ticket ticket = Accept(Kind::kWrite, 5);
  EXPECT_TRUE(runtime_.Release(ticket));
  ExpectStale(ticket);
}

TEST_F(RuntimeTest, AStaleTicketDoesNotReachTheSlotsNextRequest) {
  const Ticket old = Accept(Kind::kWrite, 5);
  EXPECT_TRUE(runtime_.Release(old));
  const Ticket next = Running(Kind::kWrite, 7);
  ASSERT_EQ(next.slot, old.slot);
  ASSERT_NE(next.generation, old.generation);
  ExpectStale(old);
  EXPECT_TRUE(runtime_.Complete(next, Result::kOk, 1, Resource()));
  ExpectStale(old);
  EXPECT_EQ(OutcomeOf(next).revision, 1u);
}

TEST_F(RuntimeTest, TicketsThatWereNeverGivenAreStale) {
  const Ticket ticket = Accept(Kind::kWrite, 5);
  ExpectStale(Ticket{});
  ExpectStale(Ticket{ticket.slot, 0});
  ExpectStale(Ticket{ticket.slot, ticket.generation + 1});
  ExpectStale(Ticket{ticket.slot + 1, ticket.generation});
  ExpectStale(Ticket{kSlots, 1});
  ExpectStale(Ticket{UINT32_MAX, 1});
}

TEST_F(RuntimeTest, EachStepIsTakenOnceAndInOrder) {
  const Ticket ticket = Accept(Kind::kWrite, 1);
  Outcome outcome;
  EXPECT_FALSE(runtime_.Complete(ticket, Result::kOk, 1, Resource())) << "not ready";
  EXPECT_TRUE(runtime_.Ready(ticket));
  EXPECT_FALSE(runtime_.Ready(ticket)) << "ready before";
  EXPECT_FALSE(runtime_.Complete(ticket, Result::kOk, 1, Resource())) << "not taken";
  Effect effect;
  EXPECT_TRUE(runtime_.Take(&effect));
  EXPECT_FALSE(runtime_.Take(&effect)) << "taken before";
  EXPECT_FALSE(runtime_.Ready(ticket));
  EXPECT_FALSE(runtime_.OutcomeOf(ticket, &outcome)) << "not completed";
  EXPECT_TRUE(runtime_.Complete(ticket, Result::kOk, 1, Resource()));
  EXPECT_FALSE(runtime_.Complete(ticket, Result::kConflict, 2, Resource())) << "completed before";
  EXPECT_EQ(OutcomeOf(ticket).result, Result::kOk);
  EXPECT_TRUE(runtime_.Release(ticket));
  EXPECT_FALSE(runtime_.Release(ticket)) << "released before";
  ExpectNothingHeld();
}

TEST_F(RuntimeTest, EffectsAreTakenInTheOrderTheyBecameReady) {
  const Ticket a = Accept(Kind::kRead, 0), b = Accept(Kind::kRead, 0), c = Accept(Kind::kRead, 0);
  EXPECT_TRUE(runtime_.Ready(c));
  EXPECT_TRUE(runtime_.Ready(a));
  EXPECT_EQ(Take().ticket, c);
  EXPECT_TRUE(runtime_.Ready(b));
  EXPECT_EQ(Take().ticket, a);
  EXPECT_EQ(Take().ticket, b);
  Effect effect;
  EXPECT_FALSE(runtime_.Take(&effect));
  EXPECT_EQ(runtime_.taken_count(), 3u);
}

TEST_F(RuntimeTest, AnEffectMayOutliveItsRequester) {
  Lender lender;
  const Ticket ticket = Accept(Kind::kWrite, 5);
  runtime_.CopyPrefix(ticket, "hello");
  EXPECT_TRUE(runtime_.Ready(ticket));
  const Effect effect = Take();
  EXPECT_TRUE(runtime_.Release(ticket));
  EXPECT_FALSE(runtime_.Release(ticket));
  EXPECT_TRUE(runtime_.Ingress(ticket).empty()) << "stale for the requester";
  EXPECT_EQ(effect.payload, "hello") << "lent until Complete";
  EXPECT_EQ(runtime_.active(), 1u);
  EXPECT_EQ(runtime_.counters().releases, 0u) << "one side is not done";
  EXPECT_EQ(runtime_.budget().retained_bytes(), 5u);

  EXPECT_TRUE(runtime_.Complete(ticket, Result::kOk, 2, lender.Lend("late answer")));
  EXPECT_EQ(lender.returns, 1);
  EXPECT_EQ(runtime_.counters().writes, 1u);
  EXPECT_EQ(runtime_.counters().borrowed_output_bytes, 0u) << "nobody was left to lend it to";
  ExpectStale(ticket);
  ExpectNothingHeld();
}

TEST_F(RuntimeTest, AReadyEffectRunsEvenIfItsRequesterHasGone) {
  const Ticket ticket = Accept(Kind::kWrite, 3);
  EXPECT_TRUE(runtime_.Ready(ticket));
  EXPECT_TRUE(runtime_.Release(ticket));
  EXPECT_EQ(runtime_.ready_count(), 1u);
  EXPECT_EQ(Take().ticket, ticket);
  EXPECT_TRUE(runtime_.Complete(ticket, Result::kOk, 1, Resource()));
  ExpectNothingHeld();
  EXPECT_EQ(runtime_.counters().writes, 1u);
}

TEST_F(RuntimeTest, AReadThatDoesNotFitTheBudgetBecomesABudgetRefusal) {
  Lender lender;
  const std::string body(96, 'x');
  const Ticket ticket = Running(Kind::kRead, 0);
  const Ticket other = Accept(Kind::kWrite, 5);
  EXPECT_TRUE(runtime_.Complete(ticket, Result::kOk, 4, lender.Lend(body)));
  EXPECT_EQ(lender.returns, 1);
  EXPECT_EQ(OutcomeOf(ticket).result, Result::kBudget);
  EXPECT_EQ(OutcomeOf(ticket).body->size_bytes(), 0u);
  EXPECT_EQ(runtime_.counters().reads, 0u);
  EXPECT_EQ(runtime_.counters().budget_rejections, 1u);
  EXPECT_TRUE(runtime_.Release(ticket));
  EXPECT_TRUE(runtime_.Release(other));
  ExpectNothingHeld();
}

TEST_F(RuntimeTest, AWriteThatWasAppliedIsNeverCalledNotApplied) {
  Lender lender;
  const std::string reply(96, 'x');
  const Ticket ticket = Running(Kind::kWrite, 5);
  EXPECT_TRUE(runtime_.Complete(ticket, Result::kOk, 4, lender.Lend(reply)));
  EXPECT_EQ(lender.returns, 1);
  EXPECT_EQ(OutcomeOf(ticket).result, Result::kUncertain);
  EXPECT_EQ(OutcomeOf(ticket).revision, 4u);
  EXPECT_TRUE(runtime_.Release(ticket));
  ExpectNothingHeld();
}

TEST_F(RuntimeTest, AReplyThatLiesInTheIngressIsNotChargedTwice) {
  Lender lender;
  const Ticket ticket = Running(Kind::kWrite, 100);
  const MutableBytes ingress = runtime_.Ingress(ticket);
  EXPECT_TRUE(
      runtime_.Complete(ticket, Result::kOk, 1, lender.Lend(Bytes(ingress.data() + 10, 90))));
  EXPECT_EQ(OutcomeOf(ticket).result, Result::kOk);
  EXPECT_EQ(runtime_.budget().retained_bytes(), 100u);
  runtime_.DropIngress(ticket);
  EXPECT_EQ(memory_.live_bytes(), 100u) << "the answer still needs it";
  EXPECT_TRUE(runtime_.Release(ticket));
  EXPECT_EQ(lender.returns, 1);
  ExpectNothingHeld();
}

TEST_F(RuntimeTest, AReplyThatOnlyTouchesTheIngressIsChargedWhole) {
  const Ticket ticket = Running(Kind::kWrite, 20);
  const MutableBytes ingress = runtime_.Ingress(ticket);
  const std::array<Bytes, 2> spans = {Bytes(ingress.data(), 10), "elsewhere"};
  EXPECT_TRUE(
      runtime_.Complete(ticket, Result::kOk, 1, Resource(spans, nullptr, nullptr, nullptr)));
  EXPECT_EQ(runtime_.budget().retained_bytes(), 39u);
  EXPECT_TRUE(runtime_.Release(ticket));
  ExpectNothingHeld();
}

TEST_F(RuntimeTest, OnlyAnOkKeepsItsBody) {
  Lender lender;
  const Ticket ticket = Running(Kind::kRead, 0);
  EXPECT_TRUE(runtime_.Complete(ticket, Result::kConflict, 9, lender.Lend("body")));
  EXPECT_EQ(lender.returns, 1);
  const Outcome outcome = OutcomeOf(ticket);
  EXPECT_EQ(outcome.result, Result::kConflict);
  EXPECT_EQ(outcome.revision, 9u);
  EXPECT_EQ(outcome.body->size_bytes(), 0u);
  EXPECT_EQ(runtime_.budget().retained_bytes(), 0u);
  EXPECT_EQ(runtime_.counters().conflicts, 1u);
  EXPECT_EQ(runtime_.counters().reads, 0u);
}

TEST_F(RuntimeTest, DroppedIngressIsFreedBeforeRelease) {
  const Ticket ticket = Accept(Kind::kWrite, 30);
  runtime_.DropIngress(ticket);
  EXPECT_EQ(runtime_.Ingress(ticket).size(), 30u) << "not completed: kept";
  EXPECT_TRUE(runtime_.Ready(ticket));
  Take();
  runtime_.DropIngress(ticket);
  EXPECT_EQ(memory_.live_bytes(), 30u) << "the effect still reads it";
  EXPECT_TRUE(runtime_.Complete(ticket, Result::kOk, 1, Resource()));
  runtime_.DropIngress(ticket);
  EXPECT_EQ(memory_.live_bytes(), 0u);
  EXPECT_EQ(runtime_.budget().retained_bytes(), 0u);
  EXPECT_TRUE(runtime_.Ingress(ticket).empty());
  runtime_.DropIngress(ticket);
  EXPECT_EQ(OutcomeOf(ticket).revision, 1u);
  EXPECT_TRUE(runtime_.Release(ticket));
  ExpectNothingHeld();
}

TEST_F(RuntimeTest, AfterStopNothingIsAdmittedAndWhatWasGoesOn) {
  const Ticket filling = Accept(Kind::kWrite, 5);
  const Ticket running = Running(Kind::kRead, 0);
  runtime_.Stop();
  EXPECT_TRUE(runtime_.stopped());
  EXPECT_EQ(TryAccept(1), Result::kStopped);
  EXPECT_EQ(TryAccept(SIZE_MAX), Result::kStopped) << "said before the budget is asked";
  EXPECT_EQ(runtime_.counters().budget_rejections, 0u);
  EXPECT_TRUE(runtime_.Ready(filling));
  EXPECT_EQ(Take().ticket, filling);
  EXPECT_TRUE(runtime_.Complete(filling, Result::kOk, 1, Resource()));
  EXPECT_TRUE(runtime_.Complete(running, Result::kNotFound, 0, Resource()));
  EXPECT_TRUE(runtime_.Release(filling));
  EXPECT_TRUE(runtime_.Release(running));
  ExpectNothingHeld();
}

TEST_F(RuntimeTest, DestructionFreesWhatIsHeldInEveryState) {
  Lender lender;
  {
    Runtime runtime({.slots = 4, .budget_bytes = kBudgetBytes}, &memory_);
    Ticket tickets[4];
    for (Ticket& ticket : tickets) {
      ASSERT_EQ(runtime.Accept(Kind::kWrite, Key("k"), Condition{}, 5, &ticket), Result::kOk);
    }
    Effect effect;
    EXPECT_TRUE(runtime.Ready(tickets[0]));
    EXPECT_TRUE(runtime.Ready(tickets[1]));
    EXPECT_TRUE(runtime.Ready(tickets[2]));
    EXPECT_TRUE(runtime.Take(&effect));
    EXPECT_TRUE(runtime.Take(&effect));
    EXPECT_TRUE(runtime.Complete(tickets[0], Result::kOk, 1, lender.Lend("answer")));
    EXPECT_TRUE(runtime.Release(tickets[1]));
  }
  EXPECT_EQ(lender.returns, 1);
  EXPECT_EQ(memory_.live_blocks(), 0u);
}

TEST_F(RuntimeTest, ARefusedRequestGetsItsTurn) {
  // Sixteen clients of half a budget each, who try again in turn whenever they are refused.
  std::vector<int> tries(16, 0);
  std::vector<size_t> waiting(16);
  for (size_t i = 0; i < waiting.size(); ++i) waiting[i] = i;
  while (!waiting.empty()) {
    std::vector<Ticket> running;
    std::vector<size_t> refused;
    for (size_t client : waiting) {
      ++tries[client];
      Ticket ticket;
      const Result result =
          runtime_.Accept(Kind::kWrite, Key("k"), Condition{}, kBudgetBytes / 2, &ticket);
      if (result == Result::kOk) {
        running.push_back(ticket);
      } else {
        EXPECT_EQ(result, Result::kBudget);
        refused.push_back(client);
      }
    }
    ASSERT_EQ(running.size(), 2u) << "the whole budget is of use";
    for (Ticket ticket : running) EXPECT_TRUE(runtime_.Release(ticket));
    waiting = std::move(refused);
  }
  EXPECT_LE(*std::max_element(tries.begin(), tries.end()), 8);
  ExpectNothingHeld();
}

using RuntimeDeathTest = RuntimeTest;

TEST_F(RuntimeDeathTest, MistakesOfTheCallerAreCaught) {
  const Ticket ticket = Accept(Kind::kWrite, 3);
  EXPECT_DEATH(runtime_.CopyPrefix(ticket, "four"), "more came with the head");
  EXPECT_DEATH(Runtime({.slots = 0}, &memory_), "number of slots");
  EXPECT_DEATH(Runtime({.slots = kSlotsMax + 1}, &memory_), "number of slots");
}

}  // namespace
}  // namespace pure
