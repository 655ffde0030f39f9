#include "executor/key_set.h"

#include <string>

#include "gtest/gtest.h"

namespace pure::executor {
namespace {

TEST(KeySetTest, HoldsWhatWasInsertedUntilItIsCleared) {
  KeySet set(100);
  for (int burst = 0; burst < 3; ++burst) {
    for (int i = 0; i < 100; ++i) {
      const Key key("k" + std::to_string(i));
      EXPECT_FALSE(set.MayContain(key)) << i;
      set.Insert(key);
      EXPECT_TRUE(set.MayContain(key)) << i;
    }
    set.Clear();
  }
  EXPECT_FALSE(set.MayContain(Key("k1")));
}

}  // namespace
}  // namespace pure::executor
