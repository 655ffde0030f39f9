#include "transport/fault_answers.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "modules/info.h"
#include "modules/module.h"
#include "runtime/bytes.h"

namespace pure::transport {
namespace {

constexpr Bytes kText = R"(module notes 1

type Line = text(1..1KiB)

document note(key: slug(64)): bytes(..1MiB)
  message show { reply value else not_found }
  message edit(body: bytes(..1MiB)) { value = body; reply none }

  message append(line: Line, times: int(1..9))
    fault large 413 "It says \"full\" \\ ends."
    fault closed 409 "Not today."
  {
    require line != "x" else closed
    require size(line) <= 9 else large
    value = line
  }
)";

class FaultAnswersTest : public ::testing::Test {
 protected:
  FaultAnswersTest() : module_(modules::Module::Load(kText, &errors_)) {
    for (const modules::Error& error : errors_) ADD_FAILURE() << error.line << ": " << error.what;
  }

  // Of a fault in Module::faults().
  uint16_t Index(Bytes name) const {
    for (uint16_t i = 0; i < module_->faults().size(); ++i) {
      if (module_->faults()[i].name == name) return i;
    }
    ADD_FAILURE() << "no fault " << name;
    return 0;
  }

  std::vector<modules::Error> errors_;
  std::unique_ptr<const modules::Module> module_;
};

TEST_F(FaultAnswersTest, AFaultIsNamedInAFieldAndInJson) {
  ASSERT_NE(module_, nullptr);
  const FaultAnswers answers(*module_);
  const FaultAnswers::Fault& large = answers.Of(Index("large"));
  EXPECT_EQ(large.status, 413u);
  EXPECT_EQ(large.field, "X-Pure-Fault: large\r\n");
  EXPECT_EQ(large.body.json, R"({"fault":"large","text":"It says \"full\" \\ ends."})");
  const FaultAnswers::Fault& closed = answers.Of(Index("closed"));
  EXPECT_EQ(closed.status, 409u);
  EXPECT_EQ(closed.field, "X-Pure-Fault: closed\r\n");
  EXPECT_EQ(closed.body.json, R"({"fault":"closed","text":"Not today."})");
}

TEST_F(FaultAnswersTest, APersonIsTold) {
  ASSERT_NE(module_, nullptr);
  const FaultAnswers answers(*module_);
  const std::string& large = answers.Of(Index("large")).body.html;
  EXPECT_EQ(large.find("<!doctype html>\n"), 0u);
  EXPECT_NE(large.find("<h1>It says &quot;full&quot; \\ ends.</h1>"), std::string::npos) << large;
  const auto append = static_cast<uint16_t>(module_->FindMessage("append"));
  EXPECT_NE(answers.TypeBody({.index = append}, 0).html.find("The field line is not right"),
            std::string::npos);
  EXPECT_EQ(answers.ErrorBody(Result::kFull).json, R"({"error":"storage_full"})");
  EXPECT_NE(answers.ErrorBody(Result::kFull).html.find("no space left"), std::string::npos);
  EXPECT_EQ(answers.ErrorBody(Result::kBusy).Of(true), answers.ErrorBody(Result::kBusy).html);
}

TEST(PrefersHtmlTest, WhatIsNamedFirst) {
  EXPECT_TRUE(PrefersHtml("text/html"));
  EXPECT_TRUE(PrefersHtml("Text/HTML,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"));
  EXPECT_TRUE(PrefersHtml("text/html;q=0.9"));
  for (const char* other :
       {"", "*/*", "application/json", "application/json, text/html", "text/htmlx"}) {
    EXPECT_FALSE(PrefersHtml(other)) << other;
  }
}

// Those that the language brings along are answered like those that a module declares.
TEST_F(FaultAnswersTest, EachFaultHasAnAnswer) {
  ASSERT_NE(module_, nullptr);
  const FaultAnswers answers(*module_);
  ASSERT_GT(module_->faults().size(), 2u);
  for (uint16_t i = 0; i < module_->faults().size(); ++i) {
    const modules::FaultInfo& fault = module_->faults()[i];
    EXPECT_EQ(answers.Of(i).status, fault.status) << fault.name;
    EXPECT_EQ(answers.Of(i).field, "X-Pure-Fault: " + fault.name + "\r\n");
    EXPECT_EQ(answers.Of(i).body.json.find("{\"fault\":\"" + fault.name + "\",\"text\":\""), 0u)
        << answers.Of(i).body.json;
  }
}

TEST_F(FaultAnswersTest, AnArgumentOfAWrongTypeIsNamed) {
  ASSERT_NE(module_, nullptr);
  const FaultAnswers answers(*module_);
  const auto append = static_cast<uint16_t>(module_->FindMessage("append"));
  EXPECT_EQ(answers.TypeBody({.index = append}, 0).json, R"({"error":"type","field":"line"})");
  EXPECT_EQ(answers.TypeBody({.index = append}, 1).json, R"({"error":"type","field":"times"})");
}

TEST_F(FaultAnswersTest, ABodyThatIsWrongAsAWholeNamesNoArgument) {
  ASSERT_NE(module_, nullptr);
  const FaultAnswers answers(*module_);
  const auto append = static_cast<uint16_t>(module_->FindMessage("append"));
  EXPECT_EQ(answers.TypeBody({.index = append}, 2).json, R"({"error":"type"})");
  EXPECT_EQ(answers.TypeBody({.index = append}, UINT16_MAX).json, R"({"error":"type"})");
  const auto show = static_cast<uint16_t>(module_->show());
  EXPECT_EQ(answers.TypeBody({.index = show}, 0).json, R"({"error":"type"})");
}

}  // namespace
}  // namespace pure::transport
