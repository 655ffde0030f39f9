// The core asks for memory when it is made and for ingress, and for nothing else.

#include <algorithm>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "runtime/runtime.h"
#include "runtime/transfer.h"
#include "tests/testing/allocation_counter.h"

namespace pure {
namespace {

// Hands out one block that was there before, so that whatever the counter sees is the core's own.
class OneBlockMemory final : public Memory {
 public:
  char* Allocate(size_t size) override {
    ++allocations_;
    return size <= sizeof(block_) ? block_ : nullptr;
  }
  void Free(char*, size_t) override { ++frees_; }

  int allocations() const { return allocations_; }
  int frees() const { return frees_; }

 private:
  char block_[4096];
  int allocations_ = 0;
  int frees_ = 0;
};

void Nothing(void*, void*) {}

// One request through all its steps, its answer sent in two parts. False: a step was refused.
bool Serve(Runtime* runtime, Kind kind, Bytes payload, Bytes answer) {
  Ticket ticket;
  if (runtime->Accept(kind, Key("guest-7"), Condition{}, payload.size(), &ticket) != Result::kOk) {
    return false;
  }
  const size_t prefix_bytes = payload.size() / 2;
  runtime->CopyPrefix(ticket, payload.substr(0, prefix_bytes));
  const Bytes rest = payload.substr(prefix_bytes);
  std::copy(rest.begin(), rest.end(), runtime->Ingress(ticket).begin() + prefix_bytes);
  Effect effect;
  Outcome outcome;
  if (!runtime->Ready(ticket) || !runtime->Take(&effect) || effect.payload != payload ||
      !runtime->Complete(effect.ticket, Result::kOk, 1,
                         Resource(answer, &Nothing, nullptr, nullptr)) ||
      !runtime->OutcomeOf(ticket, &outcome)) {
    return false;
  }
  runtime->DropIngress(ticket);
  Transfer transfer;
  transfer.Start(
      "HTTP/1.1 200 OK\r\n\r\n", outcome.body->spans(), [](void*) {}, nullptr);
  Bytes spans[4];
  if (transfer.Next(absl::MakeSpan(spans)) == 0) return false;
  transfer.Consume(10);
  transfer.Consume(transfer.remaining_bytes());
  return runtime->Release(ticket);
}

TEST(RuntimeAllocationTest, AReadAllocatesNothing) {
  OneBlockMemory memory;
  Runtime runtime({.slots = 8, .budget_bytes = 1 << 20}, &memory);
  const std::string answer(1500, 'a');
  const testing::AllocationCounter counter;
  bool served = true;
  for (int i = 0; i < 1000; ++i) served = Serve(&runtime, Kind::kRead, "", answer) && served;
  EXPECT_EQ(counter.allocations(), 0u);
  EXPECT_TRUE(served);
  EXPECT_EQ(memory.allocations(), 0);
  EXPECT_EQ(runtime.counters().reads, 1000u);
}

TEST(RuntimeAllocationTest, AWriteAllocatesItsIngressThroughMemoryAndNothingElse) {
  OneBlockMemory memory;
  Runtime runtime({.slots = 8, .budget_bytes = 1 << 20}, &memory);
  const std::string payload(4096, 'p');
  const testing::AllocationCounter counter;
  bool served = true;
  for (int i = 0; i < 1000; ++i) served = Serve(&runtime, Kind::kWrite, payload, "") && served;
  EXPECT_EQ(counter.allocations(), 0u);
  EXPECT_TRUE(served);
  EXPECT_EQ(memory.allocations(), 1000);
  EXPECT_EQ(memory.frees(), 1000);
  EXPECT_EQ(runtime.counters().writes, 1000u);
}

}  // namespace
}  // namespace pure
