#include "transport/http1/host.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/bytes.h"

namespace pure::http1 {
namespace {

// "name|port", or "" for what is refused.
std::string Split(Bytes authority) {
  Bytes name, port;
  return SplitHost(authority, &name, &port) ? absl::StrCat(name, "|", port) : "";
}

TEST(HostTest, NamesAndPortsAreToldApart) {
  EXPECT_EQ(Split("localhost"), "localhost|");
  EXPECT_EQ(Split("127.0.0.1:8767"), "127.0.0.1|8767");
  EXPECT_EQ(Split("a:"), "a|");
  EXPECT_EQ(Split("a_b.example-1:80"), "a_b.example-1|80");
  EXPECT_EQ(Split("%41.b:80"), "%41.b|80");
  EXPECT_EQ(Split("[::1]"), "[::1]|");
  EXPECT_EQ(Split("[::1]:8767"), "[::1]|8767");
}

TEST(HostTest, WhatIsNoAuthorityIsRefused) {
  for (const Bytes wrong :
       {"",       ":80",       "a b",  "a/b",    "u@a",         "a:80:80", "a:x",
        "a:-1",   "a%4",       "a%zz", "a?",     "a\\b",        "[::1",    "::1",
        "[::1]x", "[::1]x:80", "[]",   "[v1.a]", "[127.0.0.1]", "a[::1]",  "\xc3\xa9"}) {
    EXPECT_EQ(Split(wrong), "") << wrong;
  }
}

TEST(HostTest, BracketsHoldOneIpv6Address) {
  for (const Bytes right :
       {"::", "::1", "1::", "1:2:3:4:5:6:7:8", "1::8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8",
        "::ffff:127.0.0.1", "1:2:3:4:5:6:1.2.3.4", "FE80::aBcD"}) {
    EXPECT_EQ(Split(absl::StrCat("[", right, "]")), absl::StrCat("[", right, "]|")) << right;
  }
  for (const Bytes wrong : {":",
                            ":::",
                            "1",
                            "1:2:3:4:5:6:7",
                            "1:2:3:4:5:6:7:8:9",
                            "1::2::3",
                            "12345::",
                            "g::",
                            "1:",
                            ":1::",
                            "::1:",
                            "1:2:3:4:5:6:7::8",
                            "1.2.3.4",
                            "::1.2.3",
                            "::1.2.3.256",
                            "::1.2.3.04",
                            "::1.2.3.4:5",
                            "1:2:3:4:5:6:7:1.2.3.4",
                            "fe80::1%25eth0",
                            "::1 "}) {
    EXPECT_EQ(Split(absl::StrCat("[", wrong, "]")), "") << wrong;
  }
}

TEST(HostTest, LoopbackNamesAreThoseOfThisMachineOnly) {
  for (const Bytes name : {"localhost", "LocalHost", "127.0.0.1", "127.255.0.9", "[::1]"}) {
    EXPECT_TRUE(IsLoopbackName(name)) << name;
  }
  for (const Bytes name : {"", "localhost.", "localhost.example", "127.0.0.1.example", "127.0.0",
                           "127.0.0.", "127.0.0.1000", "127.0.0.1.", "127.0.0.256", "127.0.0.01",
                           "127.", "128.0.0.1", "0.0.0.0", "[::2]", "::1", "example"}) {
    EXPECT_FALSE(IsLoopbackName(name)) << name;
  }
}

}  // namespace
}  // namespace pure::http1
