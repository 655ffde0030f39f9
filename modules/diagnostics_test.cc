#include "modules/diagnostics.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace pure::modules {
namespace {

TEST(DiagnosticsTest, ErrorsComeInTheOrderOfTheFileAndOncePerPlace) {
  Diagnostics diagnostics;
  EXPECT_TRUE(diagnostics.empty());
  diagnostics.Add(20, "second");
  diagnostics.Add(10, "first", "help");
  diagnostics.Add(20, "a consequence");
  const std::vector<Diagnostic> ordered = diagnostics.InFileOrder();
  ASSERT_EQ(ordered.size(), 2u);
  EXPECT_EQ(ordered[0].what, "first");
  EXPECT_EQ(ordered[0].help, "help");
  EXPECT_EQ(ordered[1].what, "second");
}

TEST(DiagnosticsTest, TooManyAreCutOffAndSaidSo) {
  Diagnostics diagnostics;
  for (uint32_t offset = 0; offset < 500; ++offset) diagnostics.Add(offset, "wrong");
  const std::vector<Diagnostic> ordered = diagnostics.InFileOrder();
  ASSERT_EQ(ordered.size(), kDiagnosticsMax + 1);
  EXPECT_NE(ordered.back().what.find("more errors"), std::string::npos);
}

TEST(DiagnosticsTest, SlipsOfTheHandAreRecognisedAndOtherNamesAreNot) {
  const std::vector<Bytes> known = {"value", "revision", "message", "old", "at"};
  EXPECT_EQ(NearestName("valeu", known), "value");   // swapped
  EXPECT_EQ(NearestName("vale", known), "value");    // missing
  EXPECT_EQ(NearestName("vallue", known), "value");  // extra
  EXPECT_EQ(NearestName("revisoin", known), "revision");
  EXPECT_EQ(NearestName("mesage", known), "message");
  EXPECT_EQ(NearestName("olf", known), "old");
  EXPECT_EQ(NearestName("x", known), "");
  EXPECT_EQ(NearestName("it", known), "");
  EXPECT_EQ(NearestName("something", known), "");
  EXPECT_EQ(NearestName(std::string(1000, 'a'), known), "");
}

}  // namespace
}  // namespace pure::modules
