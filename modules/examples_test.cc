// Each module that is shipped loads, and its tests pass.

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "modules/module.h"
#include "modules/module_tester.h"
#include "store/memory_store.h"

namespace pure::modules {
namespace {

class ExamplesTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ExamplesTest, LoadsAndPassesItsTests) {
  std::ifstream file(absl::StrCat("modules/examples/", GetParam(), ".pure"));
  std::stringstream text;
  text << file.rdbuf();
  std::vector<Error> errors;
  const std::unique_ptr<const Module> module = Module::Load(text.str(), &errors);
  ASSERT_NE(module, nullptr) << FormatErrors(GetParam(), text.str(), errors);
  const std::vector<TestOutcome> outcomes =
      RunTests(*module, text.str(), [] { return std::make_unique<store::MemoryStore>(); });
  EXPECT_FALSE(outcomes.empty());
  for (const TestOutcome& outcome : outcomes) {
    EXPECT_TRUE(outcome.passed) << outcome.name << ", line " << outcome.error.line << ": "
                                << outcome.error.what;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ExamplesTest,
                         ::testing::Values("counter", "guestbook", "links", "meter", "notes",
                                           "objects", "pages", "poll", "todo"));

std::vector<TestOutcome> OutcomesOf(const std::string& text) {
  std::vector<Error> errors;
  const std::unique_ptr<const Module> module = Module::Load(text, &errors);
  EXPECT_NE(module, nullptr) << FormatErrors("test.pure", text, errors);
  if (module == nullptr) return {};
  return RunTests(*module, text, [] { return std::make_unique<store::MemoryStore>(); });
}

TEST(ModuleTesterTest, AFailureNamesItsLineAndWhy) {
  const std::vector<TestOutcome> outcomes = OutcomesOf(R"(module m 1
state n: int = 0
input add(more: int(1..9))
  fault odd 409 "Odd."
{
  require more % 2 == 0 else odd
  n += more
}
view show_n as json { reply n }
test "well" { add(more: 2); expect n == 2 }
test "a fault" { add(more: 1) }
test "no fault" {
  expect add(more: 2) fault odd
}
test "another fault" { expect add(more: 1) fault type }
test "not so" {
  add(more: 4)
  expect show_n() == "5"
}
test "each on a store of its own" { expect n == 0 }
)");
  ASSERT_EQ(outcomes.size(), 6u);
  const auto why = [&outcomes](size_t i) {
    return outcomes[i].passed ? "passed"
                              : absl::StrCat(outcomes[i].error.line, ": ", outcomes[i].error.what);
  };
  EXPECT_EQ(why(0), "passed");
  EXPECT_EQ(why(1), "11: it ended with the fault `odd`");
  EXPECT_EQ(why(2), "13: it should end with the fault `odd`, and it went well");
  EXPECT_EQ(why(3), "15: it should end with the fault `type`, and the fault is `odd`");
  EXPECT_EQ(why(4), "18: this is not so; the answer was: 4");
  EXPECT_EQ(why(5), "passed");
}

}  // namespace
}  // namespace pure::modules
