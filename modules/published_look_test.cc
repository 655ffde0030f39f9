#include "modules/published_look.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace pure::modules {
namespace {

Look Of(uint64_t commit) { return {.states = {}, .changed_at = {commit}, .commit = commit}; }

TEST(PublishedLookTest, ItIsReplacedWhenThereIsANewerOne) {
  PublishedLook published;
  std::shared_ptr<const Look> look;
  published.Publish(Of(0));
  EXPECT_TRUE(published.Refresh(&look));
  EXPECT_FALSE(published.Refresh(&look));
  const std::shared_ptr<const Look> older = look;
  published.Publish(Of(1));
  EXPECT_TRUE(published.Refresh(&look));
  EXPECT_EQ(look->commit, 1u);
  EXPECT_EQ(older->commit, 0u) << "it lives as long as somebody holds it";
}

TEST(PublishedLookTest, NoThreadSeesAnOlderOneThanWasPublishedBefore) {
  constexpr uint64_t kCommits = 20'000;
  PublishedLook published;
  published.Publish(Of(0));
  std::atomic<uint64_t> told{0};
  std::atomic<uint64_t> wrong{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      std::shared_ptr<const Look> look;
      for (uint64_t floor = 0; floor < kCommits;) {
        floor = told.load(std::memory_order_acquire);
        published.Refresh(&look);
        wrong += look->commit < floor || look->changed_at[0] != look->commit;
      }
    });
  }
  for (uint64_t commit = 1; commit <= kCommits; ++commit) {
    published.Publish(Of(commit));
    told.store(commit, std::memory_order_release);
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace pure::modules
