#include "runtime/result.h"

#include <set>
#include <string>
#include <type_traits>

#include "gtest/gtest.h"

namespace pure {
namespace {

constexpr Result kLast = Result::kStorage;

TEST(ResultTest, EachResultHasAWordOfItsOwn) {
  std::set<std::string> words;
  for (int i = 0; i <= static_cast<int>(kLast); ++i) {
    const Bytes word = ResultName(static_cast<Result>(i));
    EXPECT_FALSE(word.empty());
    EXPECT_TRUE(words.insert(std::string(word)).second) << word << " stands for two results";
  }
}

TEST(ResultTest, WordsAreThoseOfTheAnswerContract) {
  EXPECT_EQ(ResultName(Result::kOk), "none");
  EXPECT_EQ(ResultName(Result::kNotFound), "not_found");
  EXPECT_EQ(ResultName(Result::kConflict), "conflict");
  EXPECT_EQ(ResultName(Result::kBusy), "store_busy");
  EXPECT_EQ(ResultName(Result::kBudget), "payload_budget");
  EXPECT_EQ(ResultName(Result::kAllocation), "allocation");
  EXPECT_EQ(ResultName(Result::kStopped), "stopped");
  EXPECT_EQ(ResultName(Result::kDenied), "denied");
  EXPECT_EQ(ResultName(Result::kLimit), "limit");
  EXPECT_EQ(ResultName(Result::kFault), "fault");
  EXPECT_EQ(ResultName(Result::kType), "type");
  EXPECT_EQ(ResultName(Result::kUncertain), "durability_unknown");
  EXPECT_EQ(ResultName(Result::kFull), "storage_full");
  EXPECT_EQ(ResultName(Result::kStorage), "storage");
}

TEST(ResultTest, AResultIsOneByteThatNeedsNoCare) {
  static_assert(sizeof(Result) == 1);
  static_assert(std::is_trivially_copyable_v<Result>);
}

}  // namespace
}  // namespace pure
