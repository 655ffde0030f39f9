#include "platforms/server/options.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace pure::server {
namespace {

class OptionsTest : public ::testing::Test {
 protected:
  std::vector<Option> Table() {
    return {
        {.name = "port",
         .kind = Option::Kind::kNumber,
         .variable = &port_,
         .default_text = "8767",
         .value_name = "N",
         .help = "TCP port"},
        {.name = "wait-ms",
         .kind = Option::Kind::kNumber,
         .variable = &wait_ms_,
         .default_text = "10000",
         .value_name = "MS",
         .low = 1,
         .high = 3'600'000,
         .help = "longest wait"},
        {.name = "budget",
         .kind = Option::Kind::kSize,
         .variable = &budget_bytes_,
         .default_text = "64M",
         .value_name = "BYTES",
         .low = 1,
         .help = "payload bytes"},
        {.name = "store",
         .kind = Option::Kind::kText,
         .variable = &store_,
         .default_note = "MODULE.store",
         .value_name = "DIR",
         .help = "where documents are"},
        {.name = "on-error",
         .kind = Option::Kind::kChoice,
         .variable = &on_error_,
         .default_text = "exit",
         .choices = {"exit", "readonly"},
         .help = "what follows a failed sync"},
        {.name = "open", .kind = Option::Kind::kSwitch, .variable = &open_, .help = "no token"},
    };
  }

  absl::StatusOr<ParsedArguments> Parse(std::vector<const char*> arguments) {
    return ParseOptions(Table(), arguments);
  }
  // The reason for a refusal; empty when it was none.
  std::string Refusal(std::vector<const char*> arguments) {
    const absl::StatusOr<ParsedArguments> parsed = Parse(std::move(arguments));
    if (parsed.ok()) return "";
    EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(parsed.status().message());
  }
  std::string FlagFile(const std::string& text) {
    const std::string path = ::testing::TempDir() + "/options_test.flags";
    std::ofstream(path) << text;
    return path;
  }
  std::string FlagFileRefusal(const std::string& text) {
    const std::string path = FlagFile(text);
    const std::string refusal = Refusal({"--flagfile", path.c_str()});
    EXPECT_EQ(refusal.rfind(path + ":", 0), 0u) << refusal;
    return refusal.substr(std::min(path.size(), refusal.size()));
  }

  uint16_t port_ = 0;
  uint32_t wait_ms_ = 0;
  uint64_t budget_bytes_ = 0;
  std::string store_ = "untouched";
  std::string on_error_;
  bool open_ = false;
};

TEST_F(OptionsTest, WithoutArgumentsEveryDefaultStands) {
  const absl::StatusOr<ParsedArguments> parsed = Parse({});
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_FALSE(parsed->help);
  EXPECT_TRUE(parsed->positional.empty());
  EXPECT_EQ(port_, 8767);
  EXPECT_EQ(wait_ms_, 10'000u);
  EXPECT_EQ(budget_bytes_, 64u << 20);
  EXPECT_EQ(store_, "untouched") << "no default text: the variable keeps what it has";
  EXPECT_EQ(on_error_, "exit");
  EXPECT_FALSE(open_);
}

TEST_F(OptionsTest, AValueFollowsOrComesWithAnEqualsSign) {
  ASSERT_TRUE(Parse({"--port", "80", "--store=a=b", "--on-error", "readonly", "--open"}).ok());
  EXPECT_EQ(port_, 80);
  EXPECT_EQ(store_, "a=b");
  EXPECT_EQ(on_error_, "readonly");
  EXPECT_TRUE(open_);
}

TEST_F(OptionsTest, OfARepeatedOptionTheLastStands) {
  ASSERT_TRUE(Parse({"--port", "1", "--port=2", "--port", "3"}).ok());
  EXPECT_EQ(port_, 3);
}

TEST_F(OptionsTest, PositionalArgumentsKeepTheirOrderAmongOptions) {
  const auto parsed = Parse({"a.pure", "--port", "1", "-", "b"});
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->positional, (std::vector<std::string>{"a.pure", "-", "b"}));
}

TEST_F(OptionsTest, TwoDashesEndTheOptions) {
  const auto parsed = Parse({"--port", "1", "--", "--port", "2", "--"});
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(port_, 1);
  EXPECT_EQ(parsed->positional, (std::vector<std::string>{"--port", "2", "--"}));
}

TEST_F(OptionsTest, HelpEndsTheParsing) {
  const auto parsed = Parse({"--port", "1", "--help", "--nonsense"});
  ASSERT_TRUE(parsed.ok());
  EXPECT_TRUE(parsed->help);
  EXPECT_EQ(Refusal({"--help=yes"}), "--help: takes no value");
}

TEST_F(OptionsTest, SizesTakeOneSuffixOfPowersOf1024) {
  const std::pair<const char*, uint64_t> sizes[] = {
      {"1", 1},
      {"7k", 7u << 10},
      {"7K", 7u << 10},
      {"3M", 3u << 20},
      {"3m", 3u << 20},
      {"2G", 2ull << 30},
      {"2g", 2ull << 30},
      {"007", 7},
      {"18446744073709551615", UINT64_MAX},
      {"17179869183G", 17179869183ull << 30},
  };
  for (const auto& [text, bytes] : sizes) {
    ASSERT_TRUE(Parse({"--budget", text}).ok()) << text;
    EXPECT_EQ(budget_bytes_, bytes) << text;
  }
}

TEST_F(OptionsTest, WhatIsNoSizeIsRefused) {
  for (const char* text :
       {"", "k", "1kk", "1kb", "1 k", "1T", "1.5M", "-1", "+1", " 1", "1 ", "0x10", "1e3",
        "18446744073709551616", "17179869184G", "0", "99999999999999999999999999"}) {
    EXPECT_NE(Refusal({"--budget", text}), "") << '"' << text << '"';
    EXPECT_NE(Refusal({(std::string("--budget=") + text).c_str()}), "") << '"' << text << '"';
  }
}

TEST_F(OptionsTest, NumbersAreDigitsWithinTheirBounds) {
  for (const char* text : {"1", "3600000", "0000000000000000000000000000001"}) {
    EXPECT_EQ(Refusal({"--wait-ms", text}), "") << text;
  }
  for (const char* text :
       {"", "0", "3600001", "1k", "-1", "+1", "1s", "4294967297", "18446744073709551617"}) {
    EXPECT_NE(Refusal({"--wait-ms", text}), "") << text;
  }
}

TEST_F(OptionsTest, TheVariablesOwnTypeIsABoundToo) {
  EXPECT_EQ(Refusal({"--port", "65535"}), "");
  EXPECT_EQ(port_, 65535);
  EXPECT_EQ(Refusal({"--port", "0"}), "");
  EXPECT_NE(Refusal({"--port", "65536"}), "");
}

TEST_F(OptionsTest, ARefusalSaysWhichOptionWhichValueAndWhatIsAllowed) {
  EXPECT_EQ(Refusal({"--port", "70000"}),
            "--port: \"70000\" is not allowed; it takes a number in digits, from 0 to 65535");
  EXPECT_EQ(Refusal({"--budget=-5"}),
            "--budget: \"-5\" is not allowed; it takes a size in digits, with k, M, G or nothing "
            "behind, of 1 or more");
  EXPECT_EQ(Refusal({"--on-error", "panic"}),
            "--on-error: \"panic\" is not allowed; it takes one of exit, readonly");
  EXPECT_EQ(Refusal({"--store="}), "--store: \"\" is not allowed; it takes a value (DIR)");
  EXPECT_EQ(Refusal({"--open=1"}), "--open: takes no value");
}

TEST_F(OptionsTest, ControlBytesAreNotPrinted) {
  EXPECT_EQ(Refusal({"--port", "8\x1b[2J"}),
            "--port: \"8\\033[2J\" is not allowed; it takes a number in digits, from 0 to 65535");
  EXPECT_EQ(Refusal({"--\x07"}), "--\\007: there is no such option");
}

TEST_F(OptionsTest, AMissingValueIsSaid) {
  EXPECT_EQ(Refusal({"--port"}),
            "--port: the value is missing; it takes a number in digits, from 0 to 65535");
  EXPECT_EQ(Refusal({"--store", "--port", "1"}),
            "--store: the value is missing; it takes a value (DIR)");
  EXPECT_EQ(Refusal({"--flagfile"}), "--flagfile: the value is missing; it takes a value (FILE)");
  ASSERT_EQ(Refusal({"--store=--port"}), "");
  EXPECT_EQ(store_, "--port");
}

TEST_F(OptionsTest, AnUnknownOptionIsRefusedWithANearName) {
  EXPECT_EQ(Refusal({"--prot", "1"}), "--prot: there is no such option; is --port meant?");
  EXPECT_EQ(Refusal({"--wait=5"}), "--wait: there is no such option; is --wait-ms meant?");
  EXPECT_EQ(Refusal({"--w=5"}), "--w: there is no such option");
  EXPECT_EQ(Refusal({"--wait_ms=5"}), "--wait_ms: there is no such option; is --wait-ms meant?");
  EXPECT_EQ(Refusal({"-port", "1"}), "-port: there is no such option; is --port meant?");
  EXPECT_EQ(Refusal({"--hlep"}), "--hlep: there is no such option; is --help meant?");
  EXPECT_EQ(Refusal({"--transparency"}), "--transparency: there is no such option");
  EXPECT_EQ(Refusal({"--=5"}), "--: there is no such option");
  EXPECT_EQ(Refusal({"--PORT", "1"}), "--PORT: there is no such option; is --port meant?");
}

TEST_F(OptionsTest, AFlagFileHoldsOneOptionALine) {
  const std::string path = FlagFile(
      "# made by hand\n"
      "\n"
      "port 81\n"
      "  --budget=2k  \r\n"
      "\t# indented\n"
      "store \t a dir # no comment\n"
      "--on-error readonly\n"
      "open");
  ASSERT_EQ(Refusal({"--flagfile", path.c_str()}), "");
  EXPECT_EQ(port_, 81);
  EXPECT_EQ(budget_bytes_, 2048u);
  EXPECT_EQ(store_, "a dir # no comment");
  EXPECT_EQ(on_error_, "readonly");
  EXPECT_TRUE(open_);
}

TEST_F(OptionsTest, AFlagFileCountsWhereItStands) {
  const std::string path = FlagFile("port 81\n");
  ASSERT_EQ(Refusal({"--port=1", ("--flagfile=" + path).c_str()}), "");
  EXPECT_EQ(port_, 81);
  ASSERT_EQ(Refusal({("--flagfile=" + path).c_str(), "--port=1"}), "");
  EXPECT_EQ(port_, 1);
}

TEST_F(OptionsTest, ErrorsOfAFlagFileNameFileAndLine) {
  EXPECT_EQ(FlagFileRefusal("port 1\n\nport x\n"),
            ":3: --port: \"x\" is not allowed; it takes a number in digits, from 0 to 65535");
  EXPECT_EQ(FlagFileRefusal("prot 1"), ":1: --prot: there is no such option; is --port meant?");
  EXPECT_EQ(FlagFileRefusal("port\n"),
            ":1: --port: the value is missing; it takes a number in digits, from 0 to 65535");
  EXPECT_EQ(FlagFileRefusal("open yes"), ":1: --open: takes no value");
  EXPECT_EQ(FlagFileRefusal("flagfile other"), ":1: --flagfile can not stand in a flag file");
  EXPECT_EQ(FlagFileRefusal("--help"), ":1: --help can not stand in a flag file");
  EXPECT_EQ(FlagFileRefusal("--"), ":1: an option's name is missing");
}

TEST_F(OptionsTest, AFlagFileThatCanNotBeReadIsRefused) {
  const std::string refusal = Refusal({"--flagfile", "/nowhere/at/all"});
  EXPECT_EQ(refusal.find("--flagfile: /nowhere/at/all: can not be opened"), 0u) << refusal;
  EXPECT_NE(Refusal({"--flagfile", "/"}).find("no regular file"), std::string::npos);
  EXPECT_EQ(Refusal({"--flagfile="}), "--flagfile: \"\" is not allowed; it takes a value (FILE)");
}

TEST_F(OptionsTest, LongHelpIsBrokenBetweenWords) {
  const std::vector<Option> table = {{.name = "open",
                                      .kind = Option::Kind::kSwitch,
                                      .variable = &open_,
                                      .default_note = "off",
                                      .help = "serve everybody who can reach the address, tokens "
                                              "or not, and say so in the log"}};
  const std::string expected =
      "  --open                  serve everybody who can reach the address, tokens or\n"
      "                          not, and say so in the log (default off)\n";
  EXPECT_EQ(OptionsHelp(table).substr(0, expected.size()), expected);
}

TEST_F(OptionsTest, HelpListsEachOptionWithDefaultAndUnit) {
  EXPECT_EQ(OptionsHelp(Table()),
            "  --port N                TCP port (default 8767)\n"
            "  --wait-ms MS            longest wait (default 10000)\n"
            "  --budget BYTES          payload bytes (default 64M)\n"
            "  --store DIR             where documents are (default MODULE.store)\n"
            "  --on-error exit|readonly\n"
            "                          what follows a failed sync (default exit)\n"
            "  --open                  no token\n"
            "  --flagfile FILE         reads options from FILE, one a line\n"
            "  --help                  prints this\n");
}

}  // namespace
}  // namespace pure::server
