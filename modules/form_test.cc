#include "modules/form.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace pure::modules {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

// The fields of a payload, encoded as they stand; one named "(malformed)" where it stops.
Fields FieldsOf(Bytes payload) {
  Fields fields;
  while (!payload.empty()) {
    FormField field;
    if (!TakeFormField(&payload, &field)) {
      fields.emplace_back("(malformed)", "");
      break;
    }
    fields.emplace_back(field.name, field.value);
  }
  return fields;
}

std::string Decoded(Bytes encoded) {
  size_t size = 0;
  if (!FormDecodedSize(encoded, &size)) return "(malformed)";
  std::string decoded(size, '#');
  EXPECT_EQ(FormDecode(encoded, decoded.data()), decoded.data() + size);
  return decoded;
}

TEST(FormTest, PairsAreTakenInTheirOrder) {
  EXPECT_EQ(FieldsOf("a=1&b=&c=x=y"), (Fields{{"a", "1"}, {"b", ""}, {"c", "x=y"}}));
  EXPECT_EQ(FieldsOf(""), Fields{});
}

TEST(FormTest, EmptyPairsAndPairsWithoutNameOrSignAreMalformed) {
  for (const Bytes payload : {"&", "=1", "a", "a&b=1", "&a=1"}) {
    EXPECT_EQ(FieldsOf(payload), (Fields{{"(malformed)", ""}})) << payload;
  }
  EXPECT_EQ(FieldsOf("a=1&"), (Fields{{"(malformed)", ""}}));
  EXPECT_EQ(FieldsOf("a=1&&b=2"), (Fields{{"a", "1"}, {"(malformed)", ""}}));
}

TEST(FormTest, PlusIsASpaceAndPercentsAreOctets) {
  EXPECT_EQ(Decoded("a+b%2B%26%3d%C3%bc"), "a b+&=\xC3\xBC");
  EXPECT_EQ(Decoded("%00"), std::string(1, '\0'));
  EXPECT_TRUE(IsFormPlain("a=b\xC3\xBC"));
  EXPECT_FALSE(IsFormPlain("a+b"));
  EXPECT_FALSE(IsFormPlain("%41"));
}

TEST(FormTest, APercentWithoutTwoDigitsIsMalformed) {
  for (const Bytes encoded : {"%", "%4", "%4g", "%g4", "a%", "a%2", "%%41"}) {
    EXPECT_EQ(Decoded(encoded), "(malformed)") << encoded;
  }
}

TEST(FormTest, NamesAreComparedAsTheyDecode) {
  EXPECT_TRUE(FormNameIs("line", "line"));
  EXPECT_TRUE(FormNameIs("l%69ne", "line"));
  EXPECT_FALSE(FormNameIs("lin", "line"));
  EXPECT_FALSE(FormNameIs("lines", "line"));
  EXPECT_FALSE(FormNameIs("line%", "line"));
  EXPECT_FALSE(FormNameIs("lin%zz", "line"));
}

}  // namespace
}  // namespace pure::modules
