#include "modules/lending.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace pure::modules {
namespace {

// A value that knows whether it was returned.
class Value {
 public:
  Resource Lend() {
    return {spans_, [](void* value, void*) { ++static_cast<Value*>(value)->returns; }, this,
            nullptr};
  }
  const std::vector<Bytes>& spans() const { return spans_; }
  int returns = 0;

 private:
  std::vector<Bytes> spans_ = {"hello, ", "wide ", "world"};
};

std::string TextOf(const Resource& resource) {
  std::string text;
  for (Bytes span : resource.spans()) text.append(span);
  return text;
}

TEST(LendingTest, PartsHoldTheirValueAndReturnIt) {
  Value value;
  Resource whole = value.Lend();
  Resource lent;
  {
    const std::vector<Bytes> parts = {value.spans()[0].substr(1, 3), value.spans()[2].substr(4)};
    ASSERT_TRUE(LendParts(parts, false, &whole, &lent));
  }
  EXPECT_EQ(whole.size_bytes(), 0u);
  EXPECT_EQ(TextOf(lent), "elld");
  EXPECT_EQ(lent.spans()[0].data(), value.spans()[0].data() + 1);
  EXPECT_EQ(value.returns, 0);
  lent.Reset();
  EXPECT_EQ(value.returns, 1);
}

TEST(LendingTest, AValueThatIsKeptGoesBackWithItsLastUser) {
  for (const bool parts_first : {false, true}) {
    Value value;
    Resource whole = value.Lend();
    Resource lent;
    const Bytes part = value.spans()[1].substr(0, 4);
    ASSERT_TRUE(LendParts({&part, 1}, true, &whole, &lent));
    EXPECT_EQ(TextOf(whole), "hello, wide world");
    EXPECT_EQ(TextOf(lent), "wide");
    Resource& first = parts_first ? lent : whole;
    Resource& last = parts_first ? whole : lent;
    first.Reset();
    EXPECT_EQ(value.returns, 0);
    last.Reset();
    EXPECT_EQ(value.returns, 1);
  }
}

}  // namespace
}  // namespace pure::modules
