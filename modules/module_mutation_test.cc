// Texts that are cut, spliced and overwritten at random: loading them ends, in time and memory that
// follow their size, and every error lies in the text. A text that still loads can be run.

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "modules/app.h"
#include "modules/module.h"
#include "modules/module_tester.h"
#include "modules/testing/app_fixture.h"
#include "modules/testing/event_runner.h"
#include "modules/testing/fake_store.h"
#include "store/memory_store.h"

namespace pure::modules {
namespace {

using pure::testing::ExampleText;
using pure::testing::FakeStore;

constexpr Bytes kPieces[] = {
    "module",
    "type",
    "document",
    "message",
    "fault",
    "let",
    "if",
    "then",
    "else",
    "require",
    "reply",
    "true",
    "none",
    "and",
    "not",
    "value",
    "revision",
    "key",
    "size(",
    "text(..9)",
    "bytes(1..1KiB)",
    "slug(64)",
    "one of a b",
    "int",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    ";",
    "..",
    "?",
    "=",
    "==",
    "+",
    "-",
    "*",
    "/",
    "%",
    "<<<",
    ">>>",
    "\"",
    "\\",
    "\n",
    "//",
    "9223372036854775808",
    "1_",
    "5m",
    "\xC3\xBC",
    "\xFF",
    "state",
    "for",
    "'",
    "\r",
    "A",
    "+=",
    "[1..]",
    "[..2]",
    "[1..size(",
    "..]",
    "{for e in book}",
    "{end}",
    "{else}",
    "{if ",
    "in",
    "by",
    "take 3",
    "list(int, 3)",
    "map(int, bool, 2)",
    "first ",
    "count(",
    "change",
    "drop",
    "input",
    "view",
    "fn",
    "test",
    "see",
    "now",
    ".push(",
    "[0]",
    "span",
    "time",
    "expect",
    "has",
};

constexpr Bytes kExamples[] = {"objects.pure", "notes.pure",     "pages.pure",
                               "todo.pure",    "guestbook.pure", "links.pure",
                               "meter.pure",   "poll.pure",      "counter.pure"};
// What their inputs take.
constexpr Bytes kForms[] = {"",       "who=a&said=b", "what=x",
                            "id=1",   "id=a&milli=3", "name=a&to=http://b",
                            "name=a", "for_what=tea"};

class Mutator {
 public:
  explicit Mutator(uint32_t seed) : random_(seed) {}

  std::string Mutate(std::string text, const std::string& other) {
    const size_t changes = 1 + Below(6);
    for (size_t i = 0; i < changes; ++i) MutateOnce(&text, other);
    return text;
  }
  size_t Below(size_t limit) { return limit == 0 ? 0 : random_() % limit; }

 private:
  void MutateOnce(std::string* text, const std::string& other) {
    const size_t at = Below(text->size() + 1);
    const size_t run = std::min(Below(40), text->size() - at);
    switch (Below(6)) {
      case 0:
        text->erase(at, run);
        break;
      case 1:
        text->insert(at, kPieces[Below(std::size(kPieces))]);
        break;
      case 2:
        text->replace(at, run, kPieces[Below(std::size(kPieces))]);
        break;
      case 3:
        text->insert(at, text->substr(Below(text->size()), Below(80)));
        break;
      case 4:
        text->insert(at, other.substr(Below(other.size()), Below(80)));
        break;
      default:
        if (at < text->size()) (*text)[at] = static_cast<char>(Below(256));
        break;
    }
  }

  std::mt19937 random_;
};

// Where the line with this number ends and how long it is; false when there is no such line.
bool LineSize(Bytes text, uint32_t line, size_t* size) {
  size_t start = 0;
  for (uint32_t at = 1; at < line; ++at) {
    const size_t end = text.find('\n', start);
    if (end == Bytes::npos) return false;
    start = end + 1;
  }
  *size = std::min(text.find('\n', start), text.size()) - start;
  return true;
}

void CheckErrors(Bytes text, const std::vector<Error>& errors) {
  ASSERT_FALSE(errors.empty());
  for (size_t i = 0; i < errors.size(); ++i) {
    const Error& error = errors[i];
    size_t size = 0;
    ASSERT_TRUE(LineSize(text, error.line, &size)) << error.line;
    ASSERT_GE(error.column, 1u);
    ASSERT_LE(error.column, size + 1) << error.what;
    ASSERT_FALSE(error.what.empty());
    if (i > 0) {
      const Error& last = errors[i - 1];
      ASSERT_TRUE(last.line < error.line ||
                  (last.line == error.line && last.column <= error.column));
    }
  }
  (void)FormatErrors("m.pure", text, errors);
}

void RunEverything(const Module& module, Mutator* mutator) {
  FakeStore store;
  store.Put("a", "stored");
  App app(&module, &store);
  for (size_t i = 0; i < module.messages().size(); ++i) {
    for (const Bytes body : {Bytes(""), Bytes("line"), Bytes("line=a+b&body=c"), Bytes("a=1&b=%20"),
                             Bytes("at=1&cut=2&text=x"), Bytes("start=2&end=5")}) {
      const BodyEncoding encoding =
          mutator->Below(2) == 0 ? BodyEncoding::kRaw : BodyEncoding::kForm;
      for (const Bytes key : {"a", "b"}) {
        Reply reply;
        app.Apply(static_cast<uint16_t>(i), Key(key), Condition{}, {body, encoding}, &reply);
        EXPECT_TRUE(reply.result != Result::kFault || reply.detail < module.faults().size());
        EXPECT_EQ(reply.wrote, store.staged_writes() == 1);
        EXPECT_EQ(store.Commit(), Result::kOk);
        app.Settle(true);
      }
    }
  }
  EXPECT_EQ(store.lent(), 0);
}

TEST(ModuleMutationTest, NoMutationOfTheExamplesCrashesOrHangs) {
  std::vector<std::string> texts;
  for (const Bytes name : kExamples) texts.push_back(ExampleText(name));
  size_t loaded = 0;
  for (uint32_t seed = 0; seed < 20000; ++seed) {
    Mutator mutator(seed);
    const std::string text =
        mutator.Mutate(texts[seed % texts.size()], texts[mutator.Below(texts.size())]);
    std::vector<Error> errors;
    const std::unique_ptr<const Module> module = Module::Load(text, &errors);
    if (module == nullptr) {
      CheckErrors(text, errors);
      if (HasFatalFailure()) FAIL() << "seed " << seed << "\n" << text;
      continue;
    }
    ++loaded;
    EXPECT_TRUE(errors.empty());
    (void)module->Describe(0, 0);
    if (module->sharded()) RunEverything(*module, &mutator);
    pure::testing::RunEvents(*module, text, kForms[mutator.Below(std::size(kForms))],
                             BodyEncoding::kForm);
    (void)RunTests(*module, text, [] { return std::make_unique<store::MemoryStore>(); });
  }
  EXPECT_GT(loaded, 500u) << "the mutations are so hard that nothing runs";
}

TEST(ModuleMutationTest, EveryPrefixOfTheExamplesIsLoadedOrRefused) {
  for (const Bytes name : kExamples) {
    const std::string text = ExampleText(name);
    for (size_t size = 0; size <= text.size(); ++size) {
      std::vector<Error> errors;
      const std::string prefix = text.substr(0, size);
      if (Module::Load(prefix, &errors) == nullptr) CheckErrors(prefix, errors);
    }
  }
}

TEST(ModuleMutationTest, TextsOfOnePieceRepeatedToTheLimitEnd) {
  const std::string head = "module m 1\ndocument d(key: slug(64)): bytes(..64)\nmessage x {\n";
  for (const Bytes piece : kPieces) {
    for (const Bytes between : {"", " ", "\n"}) {
      std::string text = head;
      while (text.size() < (1 << 14)) text.append(piece).append(between);
      std::vector<Error> errors;
      EXPECT_EQ(Module::Load(text, &errors), nullptr) << piece;
    }
  }
}

}  // namespace
}  // namespace pure::modules
