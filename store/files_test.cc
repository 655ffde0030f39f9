#include "store/files.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace pure::store {
namespace {

TEST(IoErrorTest, EveryErrorHasAWordOfItsOwn) {
  std::set<std::string> texts;
  for (int i = 0; i <= static_cast<int>(IoError::kInputOutput); ++i) {
    const Bytes text = IoErrorText(static_cast<IoError>(i));
    EXPECT_NE(text, "unknown error") << i;
    EXPECT_TRUE(texts.insert(std::string(text)).second) << text;
  }
}

}  // namespace
}  // namespace pure::store
