#include "transport/exchange.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "runtime/bytes.h"
#include "runtime/resource.h"

namespace pure::transport {
namespace {

TEST(ExchangePoolTest, EachExchangeIsTakenOnceUntilItComesBack) {
  ExchangePool pool(2);
  EXPECT_EQ(pool.free_count(), 2u);
  const uint32_t first = pool.Take();
  const uint32_t second = pool.Take();
  EXPECT_NE(first, second);
  EXPECT_LT(first, 2u);
  EXPECT_LT(second, 2u);
  EXPECT_EQ(pool.Take(), kNoExchange);
  EXPECT_EQ(pool.free_count(), 0u);
  pool.Give(first);
  EXPECT_EQ(pool.free_count(), 1u);
  EXPECT_EQ(pool.Take(), first);
  EXPECT_EQ(pool.Take(), kNoExchange);
}

TEST(ExchangePoolTest, AnIndexNamesItsExchange) {
  ExchangePool pool(3);
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(pool.IndexOf(pool[pool.Take()]), i);
}

TEST(ExchangePoolTest, AnExchangeIsNewWheneverItIsTaken) {
  ExchangePool pool(1);
  const uint32_t index = pool.Take();
  pool[index].state = Exchange::State::kAnswered;
  pool[index].closes = true;
  pool[index].head_only = true;
  pool[index].status = 404;
  pool[index].revision = 7;
  pool[index].extra = "X: y\r\n";
  pool[index].next = 0;
  pool.Give(index);
  ASSERT_EQ(pool.Take(), index);
  EXPECT_EQ(pool[index].state, Exchange::State::kWaiting);
  EXPECT_FALSE(pool[index].closes);
  EXPECT_FALSE(pool[index].head_only);
  EXPECT_EQ(pool[index].status, 0u);
  EXPECT_EQ(pool[index].revision, 0u);
  EXPECT_EQ(pool[index].extra, "");
  EXPECT_EQ(pool[index].next, kNoExchange);
}

TEST(ExchangePoolTest, AnExchangeHasNoNextWhenItIsTaken) {
  ExchangePool pool(2);
  const uint32_t first = pool.Take();
  const uint32_t second = pool.Take();
  pool.Give(first);
  pool.Give(second);
  EXPECT_EQ(pool[pool.Take()].next, kNoExchange);
  EXPECT_EQ(pool[pool.Take()].next, kNoExchange);
}

TEST(ExchangePoolTest, GivingAnExchangeBackReturnsItsBodyOnce) {
  int returned = 0;
  const Resource::Return count = [](void* lender, void*) { ++*static_cast<int*>(lender); };
  {
    ExchangePool pool(1);
    const uint32_t index = pool.Take();
    pool[index].own_body = Resource(Bytes("body"), count, &returned, nullptr);
    EXPECT_EQ(returned, 0);
    pool.Give(index);
    EXPECT_EQ(returned, 1);
  }
  EXPECT_EQ(returned, 1);
}

TEST(ExchangePoolDeathTest, AnExchangeThatIsBeingSentMayNotBeGivenBack) {
  EXPECT_DEATH(
      {
        ExchangePool pool(1);
        const uint32_t index = pool.Take();
        pool[index].transfer.Start(
            "head", {}, [](void*) {}, nullptr);
        pool.Give(index);
      },
      "while it is being sent");
}

}  // namespace
}  // namespace pure::transport
