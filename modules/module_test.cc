#include "modules/module.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "modules/testing/app_fixture.h"

namespace pure::modules {
namespace {

using pure::testing::ErrorsOf;
using pure::testing::ExampleText;

std::unique_ptr<const Module> Load(Bytes text) {
  std::vector<Error> errors;
  std::unique_ptr<const Module> module = Module::Load(text, &errors);
  EXPECT_NE(module, nullptr) << FormatErrors("m.pure", text, errors);
  EXPECT_TRUE(errors.empty());
  return module;
}

TEST(ModuleTest, ObjectsIsADocumentServer) {
  const auto module = Load(ExampleText("objects.pure"));
  EXPECT_EQ(module->name(), "objects");
  EXPECT_EQ(module->version(), 1);
  EXPECT_TRUE(module->sharded());
  EXPECT_TRUE(module->documents());
  EXPECT_EQ(module->document_type(), "application/octet-stream");
  EXPECT_EQ(module->document_bytes_max(), 16u << 20);
  ASSERT_EQ(module->messages().size(), 2u);
  const MessageInfo& show = module->messages()[static_cast<size_t>(module->show())];
  const MessageInfo& edit = module->messages()[static_cast<size_t>(module->edit())];
  EXPECT_TRUE(show.is_show);
  EXPECT_FALSE(show.writes);
  EXPECT_TRUE(edit.is_edit);
  EXPECT_TRUE(edit.writes);
  EXPECT_TRUE(edit.takes_raw);
  EXPECT_EQ(edit.parameters, std::vector<std::string>{"body"});
  EXPECT_GE(edit.payload_bytes_max, 16u << 20);
}

TEST(ModuleTest, NotesHasFurtherMessagesAndAFault) {
  const auto module = Load(ExampleText("notes.pure"));
  const int append = module->FindMessage("append");
  ASSERT_GE(append, 0);
  EXPECT_TRUE(module->messages()[static_cast<size_t>(append)].writes);
  EXPECT_EQ(module->FindMessage("appendix"), -1);
  EXPECT_EQ(module->document_type(), "text/markdown; charset=utf-8");
  const FaultInfo& large = module->faults().back();
  EXPECT_EQ(large.name, "large");
  EXPECT_EQ(large.status, 413);
  EXPECT_EQ(large.text, "The note is full.");
}

TEST(ModuleTest, TheDescriptionIsOneLineOfJsonWithTheWorstCases) {
  const auto module = Load(
      "module m 3\n"
      "document d(key: slug(9)): text(..100) as \"text/x; a=\\\"b\\\"\"\n"
      "message show { reply value else not_found }\n"
      "message add(n: int(1..5), t: text(..20)?) fault f 400 \"F.\" {\n"
      "  let old = value else \"\"\n"
      "  let more = t else f\n"
      "  value = old + more\n"
      "  reply n\n"
      "}\n");
  const std::string description = module->Describe(0, 0);
  const size_t hash = description.find("\"hash\":\"");
  ASSERT_NE(hash, std::string::npos);
  EXPECT_EQ(
      description.substr(0, hash) + description.substr(hash + 8 + 64 + 2),
      "{\"module\":\"m\",\"version\":3,\"sharded\":true,\"states\":[],\"inputs\":[],\"views\":[],"
      "\"documents\":[{\"name\":\"d\",\"key\":\"slug(9)\",\"type\":\"text(..100)\","
      "\"content_type\":\"text/x; a=\\\"b\\\"\",\"max_bytes\":100,\"messages\":["
      "{\"name\":\"show\",\"route\":\"GET /objects/KEY\",\"parameters\":[],\"writes\":false,"
      "\"max_steps\":2,\"max_save_bytes\":0,\"max_reply_bytes\":0,\"faults\":[\"not_found\"]},"
      "{\"name\":\"add\",\"route\":\"POST /objects/KEY/add\",\"parameters\":["
      "{\"name\":\"n\",\"type\":\"int(1..5)\"},{\"name\":\"t\",\"type\":\"text(..20)?\"}],"
      "\"writes\":true,\"max_steps\":15,\"max_save_bytes\":100,\"max_reply_bytes\":20,"
      "\"faults\":[\"full\",\"f\"]}]}],\"timers\":[],\"tests\":{\"run\":0,\"failed\":0}}");
}

TEST(ModuleTest, TheHashIsThatOfTheText) {
  const std::string text = ExampleText("objects.pure");
  EXPECT_EQ(Load(text)->Describe(0, 0), Load(text)->Describe(0, 0));
  EXPECT_NE(Load(text)->Describe(0, 0), Load(text + "\n")->Describe(0, 0));
}

TEST(ModuleTest, ErrorsShowTheLineACaretAndHelp) {
  EXPECT_EQ(ErrorsOf("module m 1\n\tdocument d(key: slug(99)): bytes(..9)\n"),
            "m.pure:2:18: a key is a slug of at most 64 bytes\n"
            "\tdocument d(key: slug(99)): bytes(..9)\n"
            "\t                ^\n"
            "  key: slug(64)\n");
}

TEST(ModuleTest, TheCaretStandsUnderTheCharacterAlsoBehindWideOnes) {
  EXPECT_EQ(ErrorsOf("module m 1\ndocument d(key: slug(64)): bytes(..9)\nmessage x { reply "
                     "\"\xC3\xBC\" + y }\n"),
            "m.pure:3:26: there is no `y` here\n"
            "message x { reply \"\xC3\xBC\" + y }\n"
            "                        ^\n");
}

TEST(ModuleTest, ALongLineIsShownAroundTheError) {
  const std::string errors = ErrorsOf(
      absl::StrCat("module m 1\ndocument d(key: slug(64)): bytes(..9)\nmessage x { reply \"",
                   std::string(100000, 'x'), "\" + y + \"", std::string(100000, 'z'), "\" }\n"));
  EXPECT_LT(errors.size(), 500u);
  EXPECT_NE(errors.find("m.pure:3:100024: there is no `y` here\nxxx"), std::string::npos) << errors;
}

TEST(ModuleTest, ErrorsHoldNoControlCharactersOfTheText) {
  const std::string errors = ErrorsOf("module m 1\n\x1B[31m \xC2\x9B \xFF x\n");
  for (char c : errors) {
    EXPECT_TRUE(c == '\n' ||
                (static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x80))
        << static_cast<int>(c);
  }
}

TEST(ModuleTest, LineEndsOfEitherKindAndAByteOrderMarkAreTaken) {
  (void)Load(
      "\xEF\xBB\xBFmodule m 1\r\ndocument d(key: slug(64)): bytes(..9)\r\nmessage show {\r\n"
      "  reply value else not_found\r\n}\r\n");
}

TEST(ModuleTest, StatementsMayGoOnOverLinesAndStandTogether) {
  (void)Load(
      "module m 1\ndocument d(key: slug(64)): bytes(..9)\n"
      "message x(a: int,\n b: int\n)\n fault f 409 \"F.\"\n{\n let c = a\n  + b\n  * 2; let d = "
      "c;; if c > d\n { reply 1 }\n"
      "else if c < d { reply 2 }\n else\n { reply\n 3 } }\n");
}

}  // namespace
}  // namespace pure::modules
