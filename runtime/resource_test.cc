#include "runtime/resource.h"

#include <array>
#include <type_traits>
#include <utility>

#include "gtest/gtest.h"

namespace pure {
namespace {

struct Lender {
  int returns = 0;
  void* last_token = nullptr;

  static void Return(void* lender, void* token) {
    auto* const self = static_cast<Lender*>(lender);
    ++self->returns;
    self->last_token = token;
  }
};

TEST(ResourceTest, ItReturnsItselfOnceWithItsToken) {
  Lender lender;
  int token = 0;
  {
    const Resource resource("body", &Lender::Return, &lender, &token);
    EXPECT_EQ(resource.size_bytes(), 4u);
    ASSERT_EQ(resource.spans().size(), 1u);
    EXPECT_EQ(resource.spans()[0], "body");
    EXPECT_EQ(lender.returns, 0);
  }
  EXPECT_EQ(lender.returns, 1);
  EXPECT_EQ(lender.last_token, &token);
}

TEST(ResourceTest, ResetReturnsNowAndLeavesItEmpty) {
  Lender lender;
  Resource resource("body", &Lender::Return, &lender, nullptr);
  resource.Reset();
  EXPECT_EQ(lender.returns, 1);
  EXPECT_EQ(resource.size_bytes(), 0u);
  EXPECT_TRUE(resource.spans().empty());
  resource.Reset();
  EXPECT_EQ(lender.returns, 1);
}

TEST(ResourceTest, AMoveHandsTheReturnOver) {
  Lender lender;
  Resource first("body", &Lender::Return, &lender, nullptr);
  Resource second(std::move(first));
  EXPECT_EQ(second.spans()[0], "body");
  EXPECT_EQ(first.size_bytes(), 0u);  // NOLINT(bugprone-use-after-move): emptied by contract
  EXPECT_EQ(lender.returns, 0);
  second.Reset();
  EXPECT_EQ(lender.returns, 1);
}

TEST(ResourceTest, AMoveAssignmentReturnsWhatWasHeldBefore) {
  Lender old_lender, new_lender;
  Resource resource("old", &Lender::Return, &old_lender, nullptr);
  resource = Resource("new", &Lender::Return, &new_lender, nullptr);
  EXPECT_EQ(old_lender.returns, 1);
  EXPECT_EQ(new_lender.returns, 0);
  EXPECT_EQ(resource.spans()[0], "new");
}

TEST(ResourceTest, MovingOntoItselfKeepsIt) {
  Lender lender;
  Resource resource("body", &Lender::Return, &lender, nullptr);
  Resource* const same = &resource;
  resource = std::move(*same);
  EXPECT_EQ(lender.returns, 0);
  EXPECT_EQ(resource.size_bytes(), 4u);
}

TEST(ResourceTest, SeveralSpansAreSummedAndShownInOrder) {
  Lender lender;
  const std::array<Bytes, 3> spans = {"one", "", "three"};
  Resource first(absl::MakeConstSpan(spans), &Lender::Return, &lender, nullptr);
  Resource resource(std::move(first));
  EXPECT_EQ(resource.size_bytes(), 8u);
  ASSERT_EQ(resource.spans().size(), 3u);
  EXPECT_EQ(resource.spans()[2], "three");
  resource.Reset();
  EXPECT_EQ(lender.returns, 1);
}

TEST(ResourceTest, StaticBytesNeedNoReturn) {
  Resource resource("static", nullptr, nullptr, nullptr);
  EXPECT_EQ(resource.size_bytes(), 6u);
  resource.Reset();
  EXPECT_EQ(resource.size_bytes(), 0u);
}

TEST(ResourceTest, AnEmptyLoanHasNoSpansButIsReturned) {
  Lender lender;
  Resource resource(Bytes(), &Lender::Return, &lender, nullptr);
  EXPECT_TRUE(resource.spans().empty());
  resource.Reset();
  EXPECT_EQ(lender.returns, 1);
}

TEST(ResourceTest, ItCanNotBeCopied) {
  static_assert(!std::is_copy_constructible_v<Resource>);
  static_assert(!std::is_copy_assignable_v<Resource>);
}

}  // namespace
}  // namespace pure
