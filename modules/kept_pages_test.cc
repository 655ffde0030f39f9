#include "modules/kept_pages.h"

#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "runtime/budget.h"
#include "runtime/resource.h"

namespace pure::modules {
namespace {

std::string TextOf(const Resource& page) { return std::string(page.spans()[0]); }

TEST(KeptPagesTest, APageIsLentForItsRevisionOnly) {
  Budget budget(100);
  KeptPages pages(2, &budget);
  pages.Keep(1, 7, "seven");
  ASSERT_NE(pages.Find(1, 7), nullptr);
  EXPECT_EQ(TextOf(pages.Find(1, 7)->Lend()), "seven");
  EXPECT_EQ(pages.Find(1, 8), nullptr);
  EXPECT_EQ(pages.Find(0, 7), nullptr);
  EXPECT_EQ(pages.Find(0, 0), nullptr) << "0 is no revision";
  pages.Keep(1, 8, "eighty");
  EXPECT_EQ(pages.Find(1, 7), nullptr);
  EXPECT_EQ(TextOf(pages.Find(1, 8)->Lend()), "eighty");
}

TEST(KeptPagesTest, ItsBytesAreChargedAndGoWhenOthersNeedThem) {
  Budget budget(20);
  KeptPages pages(3, &budget);
  pages.Keep(0, 1, "0123456789");
  pages.Keep(1, 1, "01234");
  EXPECT_EQ(budget.retained_bytes(), 15u);
  pages.Keep(2, 1, "012345");
  EXPECT_EQ(pages.Find(2, 1), nullptr) << "there was no room";
  pages.Keep(0, 2, "01");
  EXPECT_EQ(budget.retained_bytes(), 7u);
  const Resource lent = pages.Find(0, 2)->Lend();
  ASSERT_TRUE(budget.Charge(20));
  EXPECT_EQ(pages.Find(0, 2), nullptr);
  EXPECT_EQ(pages.Find(1, 1), nullptr);
  EXPECT_EQ(TextOf(lent), "01") << "what was lent stays";
  EXPECT_EQ(budget.retained_bytes(), 20u);
  budget.Refund(20);
  pages.Keep(0, 3, "again");
  EXPECT_EQ(TextOf(pages.Find(0, 3)->Lend()), "again");
}

TEST(KeptPagesTest, AllTogetherHaveABound) {
  Budget budget(size_t{64} << 20);
  KeptPages pages(5, &budget);
  const std::string mebibyte(size_t{1} << 20, 'x');
  for (uint16_t view = 0; view < 5; ++view) pages.Keep(view, 1, mebibyte);
  EXPECT_NE(pages.Find(3, 1), nullptr);
  EXPECT_EQ(pages.Find(4, 1), nullptr);
  EXPECT_EQ(budget.retained_bytes(), 4 * mebibyte.size());
}

TEST(KeptPagesTest, NothingIsRetainedAfterItsEnd) {
  Budget budget(100);
  {
    KeptPages pages(1, &budget);
    pages.Keep(0, 1, "page");
    pages.Close();
    EXPECT_EQ(budget.retained_bytes(), 0u);
    pages.Keep(0, 2, "page");
    EXPECT_EQ(pages.Find(0, 2), nullptr);
  }
  KeptPages pages(1, &budget);
  pages.Keep(0, 1, "page");
  EXPECT_EQ(budget.retained_bytes(), 4u);
}

TEST(KeptPagesTest, APageIsGivenBackByAnotherThread) {
  Budget budget(100);
  KeptPages pages(1, &budget);
  for (uint64_t revision = 1; revision < 200; ++revision) {
    pages.Keep(0, revision, "page");
    std::thread other([lent = pages.Find(0, revision)->Lend()]() mutable { lent.Reset(); });
    pages.Reclaim();
    other.join();
  }
}

}  // namespace
}  // namespace pure::modules
