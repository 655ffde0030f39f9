#include "runtime/transfer.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"

namespace pure {
namespace {

struct Owner {
  int ends = 0;

  static void Ended(void* owner) { ++static_cast<Owner*>(owner)->ends; }
};

// What the next sends would carry, joined; at most `width` spans are asked for at once.
std::string Pending(const Transfer& transfer, size_t width) {
  std::vector<Bytes> spans(width);
  const size_t count = transfer.Next(absl::MakeSpan(spans));
  std::string joined;
  for (size_t i = 0; i < count; ++i) {
    EXPECT_FALSE(spans[i].empty());
    joined.append(spans[i]);
  }
  return joined;
}

TEST(TransferTest, HeadThenBodyInOrderWithoutEmptySpans) {
  Owner owner;
  Transfer transfer;
  const std::array<Bytes, 4> body = {"", "ab", "", "cd"};
  transfer.Start("head:", body, &Owner::Ended, &owner);
  EXPECT_TRUE(transfer.active());
  EXPECT_EQ(transfer.remaining_bytes(), 9u);
  std::array<Bytes, 8> spans;
  ASSERT_EQ(transfer.Next(absl::MakeSpan(spans)), 3u);
  EXPECT_EQ(spans[0], "head:");
  EXPECT_EQ(spans[1], "ab");
  EXPECT_EQ(spans[2], "cd");
  EXPECT_EQ(transfer.remaining_bytes(), 9u) << "looking takes nothing";
}

TEST(TransferTest, NextWritesNoMoreThanItWasGivenRoomFor) {
  Owner owner;
  Transfer transfer;
  const std::array<Bytes, 2> body = {"ab", "cd"};
  transfer.Start("h", body, &Owner::Ended, &owner);
  EXPECT_EQ(transfer.Next({}), 0u);
  EXPECT_EQ(Pending(transfer, 1), "h");
  EXPECT_EQ(Pending(transfer, 2), "hab");
  transfer.Consume(2);
  EXPECT_EQ(Pending(transfer, 1), "b");
}

TEST(TransferTest, EverySplitOfTheBytesSendsTheSame) {
  const std::array<Bytes, 5> body = {"alpha", "", "b", "", "gamma"};
  const std::string whole = "HEADalphabgamma";
  for (size_t first = 1; first < whole.size(); ++first) {
    for (size_t step = 1; step <= whole.size(); ++step) {
      Owner owner;
      Transfer transfer;
      transfer.Start("HEAD", body, &Owner::Ended, &owner);
      std::string sent;
      size_t take = first;
      while (transfer.active()) {
        const std::string pending = Pending(transfer, 8);
        ASSERT_EQ(pending, whole.substr(sent.size()));
        take = std::min(take, pending.size());
        sent += pending.substr(0, take);
        EXPECT_EQ(owner.ends, 0);
        transfer.Consume(take);
        take = step;
      }
      EXPECT_EQ(sent, whole);
      EXPECT_EQ(owner.ends, 1);
    }
  }
}

TEST(TransferTest, TheLastByteEndsItExactlyOnce) {
  Owner owner;
  Transfer transfer;
  transfer.Start("head", {}, &Owner::Ended, &owner);
  transfer.Consume(3);
  EXPECT_EQ(owner.ends, 0);
  transfer.Consume(1);
  EXPECT_EQ(owner.ends, 1);
  EXPECT_FALSE(transfer.active());
  EXPECT_EQ(transfer.remaining_bytes(), 0u);
  transfer.Abort();
  EXPECT_EQ(owner.ends, 1);
}

TEST(TransferTest, AbortEndsItOnceAtAnyByte) {
  Owner owner;
  Transfer transfer;
  const std::array<Bytes, 1> body = {"body"};
  transfer.Start("head", body, &Owner::Ended, &owner);
  transfer.Consume(6);
  transfer.Abort();
  transfer.Abort();
  EXPECT_EQ(owner.ends, 1);
  EXPECT_EQ(Pending(transfer, 4), "");
}

TEST(TransferTest, DestructionEndsWhatStillRuns) {
  Owner owner;
  {
    Transfer transfer;
    transfer.Start("head", {}, &Owner::Ended, &owner);
  }
  EXPECT_EQ(owner.ends, 1);
}

TEST(TransferTest, AnEmptyTransferEndsAtOnce) {
  Owner owner;
  Transfer transfer;
  const std::array<Bytes, 1> body = {""};
  transfer.Start("", body, &Owner::Ended, &owner);
  EXPECT_EQ(owner.ends, 1);
  EXPECT_FALSE(transfer.active());
}

TEST(TransferTest, ConsumingNothingChangesNothing) {
  Owner owner;
  Transfer transfer;
  transfer.Start("head", {}, &Owner::Ended, &owner);
  transfer.Consume(0);
  EXPECT_TRUE(transfer.active());
  EXPECT_EQ(transfer.remaining_bytes(), 4u);
}

struct Chain {
  Transfer transfer;
  int ends = 0;

  static void Ended(void* owner) {
    auto* const self = static_cast<Chain*>(owner);
    if (++self->ends < 3) self->transfer.Start("next", {}, &Chain::Ended, self);
  }
};

TEST(TransferTest, TheEndMayStartTheNextOneInTheSameObject) {
  Chain chain;
  chain.transfer.Start("first", {}, &Chain::Ended, &chain);
  chain.transfer.Consume(5);
  EXPECT_EQ(chain.ends, 1);
  EXPECT_EQ(Pending(chain.transfer, 1), "next");
  chain.transfer.Consume(4);
  chain.transfer.Consume(4);
  EXPECT_EQ(chain.ends, 3);
  EXPECT_FALSE(chain.transfer.active());
}

TEST(TransferDeathTest, MisuseIsCaught) {
  Owner owner;
  Transfer transfer;
  EXPECT_DEATH(transfer.Consume(0), "has ended");
  transfer.Start("head", {}, &Owner::Ended, &owner);
  EXPECT_DEATH(transfer.Start("head", {}, &Owner::Ended, &owner), "before the last one ended");
  EXPECT_DEATH(transfer.Consume(5), "more was sent");
}

}  // namespace
}  // namespace pure
