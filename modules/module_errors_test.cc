// Faulty modules: every error, its place and its words.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "modules/module.h"

namespace pure::modules {
namespace {

// "LINE:COLUMN: what" of each error, and " | help" where there is one.
std::vector<std::string> Errors(Bytes text) {
  std::vector<Error> errors;
  if (Module::Load(text, &errors) != nullptr) return {};
  std::vector<std::string> lines;
  for (const Error& error : errors) {
    lines.push_back(absl::StrCat(error.line, ":", error.column, ": ", error.what,
                                 error.help.empty() ? "" : " | ", error.help));
  }
  return lines;
}

constexpr Bytes kHead = "module m 1\ndocument d(key: slug(64)): bytes(..64)\n";

// The errors of a document of bytes up to 64 with these messages, which start in line 3.
std::vector<std::string> InDocument(Bytes messages) {
  return Errors(absl::StrCat(kHead, messages));
}

// The errors of a message with this one statement, which starts in column 1 of line 4.
std::vector<std::string> InMessage(Bytes statement, Bytes parameters = "") {
  return InDocument(absl::StrCat("message x", parameters, " {\n", statement, "\n}\n"));
}

using Lines = std::vector<std::string>;

TEST(ModuleErrorsTest, TheHeader) {
  EXPECT_EQ(
      Errors(""),
      (Lines{
          "1:1: expected `module`, but here is the end of the file | a module starts with its name "
          "and version: module notes 1"}));
  EXPECT_EQ(
      Errors("document d(key: slug(64)): bytes(..64)\n"),
      (Lines{"1:1: expected `module`, but here is `document` | a module starts with its name and "
             "version: module notes 1"}));
  EXPECT_EQ(
      Errors("module Notes 1\n"),
      (Lines{"1:8: `Notes` can not name the module | such names start with a lower-case letter"}));
  EXPECT_EQ(Errors("module m\ndocument d(key: slug(64)): bytes(..64)\n"),
            (Lines{"2:1: expected the module's version, from 1 on, but here is `document` | module "
                   "notes 1"}));
  EXPECT_EQ(
      Errors("module m 0\n"),
      (Lines{"1:10: expected the module's version, from 1 on, but here is `0` | module notes 1"}));
  EXPECT_EQ(Errors("module m 1\n"),
            (Lines{"1:8: this module has no view, input or document, so it would serve nothing | "
                   "document note(key: slug(64)): bytes(..1MiB)"}));
  EXPECT_EQ(Errors(absl::StrCat(kHead, "module n 1\n")),
            (Lines{"3:1: a file holds one module | `module` stands in its first line only"}));
}

TEST(ModuleErrorsTest, WordsOfLaterVersionsAreNamedAndWhatFollowsIsChecked) {
  EXPECT_EQ(Errors("module m 1\n"
                   "from 1 {\n  state n = old.n\n}\n"
                   "role admin\n"
                   "every 1h do trim\n"
                   "default allow known\n"
                   "document d(key: slug(64)): bites(..64)\n"),
            (Lines{"2:1: `from` is not supported yet", "5:1: `role` is not supported yet",
                   "6:1: `every` is not supported yet", "7:1: `default` is not supported yet",
                   "8:28: there is no type `bites` | did you mean `bytes`?"}));
}

TEST(ModuleErrorsTest, LaterOptionsStatementsAndValues) {
  EXPECT_EQ(Errors("module m 1\ndocument d(key: slug(64)): bytes(..64) expires 365d\n"
                   "message x(a: int) at \"/x\" allow known\n fault f 409 \"F.\" { reply b }\n"),
            (Lines{"2:40: `expires` is not supported yet",
                   "3:22: `at`, `see` and `as` are of inputs and views",
                   "3:27: `allow` is not supported yet", "4:27: there is no `b` here"}));
  EXPECT_EQ(InMessage("emit topic { id: 1 }\nafter 5m do x(1)\nlet a = caller\nreply f"),
            (Lines{"4:1: `emit` is not supported yet", "5:1: `after` is not supported yet",
                   "6:9: `caller` is not supported yet", "7:7: there is no `f` here"}));
  EXPECT_EQ(Errors("module m 1\ntype T = dec(2)\nview v live { reply 1 }\n"),
            (Lines{"2:10: `dec` is not supported yet", "3:8: `live` is not supported yet"}));
}

TEST(ModuleErrorsTest, Types) {
  EXPECT_EQ(
      Errors(absl::StrCat("module m 1\n"
                          "type A = text(80)\n"
                          "type B = text\n"
                          "type C = slug(..9)\n"
                          "type D = int(5..1)\n"
                          "type E = int(..5)\n"
                          "type F = list(int, 0)\n"
                          "type G = bytes(..2GiB)\n"
                          "type H = I\n"
                          "type I = text(9..3)\n"
                          "type J = one of a b a\n"
                          "type J = bool(..3)\n"
                          "type K = int??\n"
                          "type l = int\n"
                          "type M = text(-1..4)\n",
                          kHead.substr(kHead.find('\n') + 1))),
      (Lines{"2:10: `text` needs its largest size | for example text(..80) or text(1..80)",
             "3:10: `text` needs its largest size | for example text(..80) or text(1..80)",
             "4:10: `slug` needs its largest size | for example slug(9)",
             "5:14: the lower bound is greater than the upper",
             "6:10: `int` has both bounds or none | for example int(0..100)",
             "7:20: a list has 1 to 10000000 elements", "8:18: a size here is 0 to 1GiB bytes",
             "9:10: there is no type `I` | a type is defined above its uses",
             "10:15: the lower bound is greater than the upper", "11:21: the case `a` stands twice",
             "12:6: the type `J` is defined twice", "12:10: `bool` has no bounds",
             "13:14: one `?` is enough",
             "14:6: expected the type's name, but here is `l` | names of types start with a "
             "capital: type Line = text(..80)",
             "15:15: a size here is 0 to 1GiB bytes"}));
}

TEST(ModuleErrorsTest, Documents) {
  const auto document = [](Bytes rest) {
    return Errors(absl::StrCat("module m 1\ndocument d", rest, "\n"));
  };
  EXPECT_EQ(document("(key: text(..9)): bytes(..64)"),
            (Lines{"2:17: a key is a slug of at most 64 bytes | key: slug(64)"}));
  EXPECT_EQ(document("(key: slug(65)): bytes(..64)"),
            (Lines{"2:17: a key is a slug of at most 64 bytes | key: slug(64)"}));
  EXPECT_EQ(document("(value: slug(64)): bytes(..64)"),
            (Lines{"2:12: `value` is there already | call it `key`"}));
  EXPECT_EQ(document("(key: slug(64)): int"),
            (Lines{"2:28: the value of a document is text or bytes in this version | for example "
                   "bytes(..1MiB)"}));
  EXPECT_EQ(document("(key: slug(64)): bytes(..64)?"),
            (Lines{"2:28: the value of a document may always be absent: leave out the `?`"}));
  EXPECT_EQ(
      document("(key: slug(64)): bytes(..64) {\n}"),
      (Lines{
          "2:40: expected `as` or a message, but here is `{` | messages follow a document without "
          "braces around them"}));
  EXPECT_EQ(
      document("(key: slug(64)): bytes(..64)\nmesage show { reply none }"),
      (Lines{"3:1: expected `as` or a message, but here is `mesage` | did you mean `message`?"}));
  EXPECT_EQ(document("(key: slug(64)): bytes(..64)\ndocument e(key: slug(64)): bytes(..64)"),
            (Lines{"3:10: a module has one document, and one stands above"}));
  EXPECT_EQ(Errors("module m 1\nmessage show { reply none }\n"),
            (Lines{"2:1: a message belongs to a document, and none stands above it"}));
}

TEST(ModuleErrorsTest, AContentTypeCanNotBreakOutOfItsHeaderLine) {
  const auto as = [](Bytes type) {
    return Errors(
        absl::StrCat("module m 1\ndocument d(key: slug(64)): bytes(..64) as ", type, "\n"));
  };
  const Lines refused = {
      "2:43: this is no content type | for example \"text/markdown; charset=utf-8\": printable "
      "ASCII"};
  EXPECT_EQ(as("\"text/html; charset=utf-8\""), Lines{});
  EXPECT_EQ(as("html"), Lines{});
  for (const Bytes type :
       {"\"\"", "\"text\"", "\"/html\"", "\"text/\"", "\"text/html\\r\\nSet-Cookie: a=b\"",
        "\"text/html\\n\"", "\"text/html\\u{0}\"", "\"text/html\\t\"", "\"text/html; \\u{7F}\"",
        "\"text/h\xC3\xBC\"", "\"text/html, a/b\"", "\"te xt/html\"", "\"text/html x\"",
        "\"text/html; a \""}) {
    EXPECT_EQ(as(type), refused) << type;
  }
  EXPECT_EQ(as(absl::StrCat("\"text/", std::string(200, 'x'), "\"")), refused);
  EXPECT_EQ(as("htm"),
            (Lines{"2:43: `htm` is no content type | html, text, json, csv, or one in quotes"}));
  EXPECT_EQ(as("html as text"), (Lines{"2:48: the content type is given twice"}));
}

TEST(ModuleErrorsTest, ShowAndEdit) {
  EXPECT_EQ(InDocument("message show(a: int) { reply value else not_found }\n"),
            (Lines{"3:14: `show` takes no parameters"}));
  EXPECT_EQ(
      InDocument("message show { value = none; reply none }\n"),
      (Lines{"3:9: `show` does nothing but reply | message show { reply value else not_found }",
             "3:16: `show` does not write",
             "3:36: `show` answers a text or bytes, and this is `none`"}));
  EXPECT_EQ(InDocument("message show { reply revision }\n"),
            (Lines{"3:22: `show` answers a text or bytes, and this is a number"}));
  EXPECT_EQ(InDocument("message show { reply value }\n"),
            (Lines{"3:22: this may be absent | write: reply value else not_found"}));
  const Bytes edit =
      "`edit` takes the body of the request: one text or bytes | message edit(body: bytes(..1MiB)) "
      "{ value "
      "= body; reply none }";
  EXPECT_EQ(InDocument("message edit { reply none }\n"), (Lines{absl::StrCat("3:9: ", edit)}));
  EXPECT_EQ(InDocument("message edit(a: int) { reply none }\n"),
            (Lines{absl::StrCat("3:9: ", edit)}));
  EXPECT_EQ(InDocument("message edit(a: bytes(..9)?) { reply none }\n"),
            (Lines{absl::StrCat("3:9: ", edit)}));
}

TEST(ModuleErrorsTest, Faults) {
  EXPECT_EQ(
      InDocument(
          "message x fault f 399 \"F.\" fault g 600 \"G.\" fault f 409 \"F.\" fault h 409 \"\" "
          "fault i 409 \"a\\nb\" { reply none }\n"),
      (Lines{"3:19: the status of a fault is 400 to 599",
             "3:36: the status of a fault is 400 to 599", "3:51: the fault `f` is declared twice",
             "3:74: the text of a fault is one line of 1 to 200 bytes",
             "3:89: the text of a fault is one line of 1 to 200 bytes"}));
  EXPECT_EQ(InDocument("message x fault f { reply none }\n"),
            (Lines{"3:19: expected the fault's status, but here is `{` | fault large 413 \"The "
                   "note is full.\""}));
  EXPECT_EQ(InMessage("require true else not_fond"),
            (Lines{"4:19: there is no fault `not_fond` | did you mean `not_found`?"}));
  EXPECT_EQ(InMessage("require true else large"),
            (Lines{"4:19: there is no fault `large` | declare it above the block: fault large 409 "
                   "\"What is wrong.\""}));
  EXPECT_EQ(InMessage("require true"), (Lines{"5:1: expected `else` and a fault, but here is `}` | "
                                              "require size(line) > 0 else empty"}));
  EXPECT_EQ(InMessage("let a = value else not_fond"),
            (Lines{"4:20: there is no fault or value `not_fond` | did you mean `not_found`?"}));
  EXPECT_EQ(InDocument("message x(f: int) fault f 409 \"F.\" { reply none }\n"),
            (Lines{"3:11: `f` is a fault here"}));
}

TEST(ModuleErrorsTest, Names) {
  EXPECT_EQ(InMessage("let old = valeu else \"\""),
            (Lines{"4:11: there is no `valeu` here | did you mean `value`?"}));
  EXPECT_EQ(InMessage("let key = 1"), (Lines{"4:5: `key` is taken | the first stands above"}));
  EXPECT_EQ(InMessage("let value = 1"),
            (Lines{"4:5: `value` is taken | it is there from the start"}));
  EXPECT_EQ(InMessage("let a = 1\nlet a = 2"),
            (Lines{"5:5: `a` is taken | the first stands above"}));
  EXPECT_EQ(InMessage("let list = 1"),
            (Lines{"4:5: `list` is a word of the language and can not name the value"}));
  EXPECT_EQ(InMessage("let A = 1"),
            (Lines{"4:5: `A` can not name the value | such names start with a lower-case letter"}));
  EXPECT_EQ(InMessage("let aB = 1"), (Lines{"4:5: `aB` is no name | names are lower case: `ab`; "
                                            "names of types start with a capital"}));
  EXPECT_EQ(InMessage(absl::StrCat("let ", std::string(65, 'a'), " = 1")),
            (Lines{"4:5: a name has at most 64 characters"}));
  EXPECT_EQ(InMessage("if true { let a = 1 }\nreply a"), (Lines{"5:7: there is no `a` here"}));
  EXPECT_EQ(InMessage("revision = 2"),
            (Lines{"4:1: `revision` can not be assigned | copy it: let copy = revision"}));
  EXPECT_EQ(InMessage("a = 2", "(a: int)"),
            (Lines{"4:1: `a` can not be assigned | copy it: let copy = a"}));
  EXPECT_EQ(InDocument("message x { reply none }\nmessage x { reply none }\n"),
            (Lines{"4:9: the message `x` stands twice"}));
  EXPECT_EQ(InDocument("message x(a: int, a: int) { reply none }\n"),
            (Lines{"3:19: `a` is taken | the first stands above"}));
}

TEST(ModuleErrorsTest, TypesOfValues) {
  EXPECT_EQ(InMessage("value = 5"),
            (Lines{"4:9: the value of this document is bytes(..64), and this is a number"}));
  EXPECT_EQ(InMessage("value = a", "(a: bytes(65..99))"),
            (Lines{"4:9: this never fits: the value of this document is bytes(..64), and this is "
                   "bytes(65..99)"}));
  EXPECT_EQ(InMessage("let a = 1\na = \"x\""),
            (Lines{"5:5: `a` holds a number, and this is a text"}));
  EXPECT_EQ(InMessage("let a = none"), (Lines{"4:9: `none` alone has no type"}));
  EXPECT_EQ(
      InMessage("let a = size(value)"),
      (Lines{"4:14: `value` may be absent here | open it first: let it = value else not_found"}));
  EXPECT_EQ(InMessage("let a = 1 else 2"),
            (Lines{"4:16: this `else` is never taken: the value is always there"}));
  EXPECT_EQ(InMessage("let a = value else 2"),
            (Lines{"4:20: the two sides do not match: bytes and a number"}));
  EXPECT_EQ(InMessage("reply value"),
            (Lines{"4:7: this may be absent | write: reply value else not_found"}));
  EXPECT_EQ(InMessage("reply 1 + \"a\""), (Lines{"4:9: `+` does not take a number and a text | it "
                                                 "takes two numbers, or two texts or bytes"}));
  EXPECT_EQ(InMessage("reply true - 1"),
            (Lines{"4:12: `-` does not take true or false and a number | it takes two numbers"}));
  EXPECT_EQ(InMessage("reply -\"a\""), (Lines{"4:7: `-` takes a number, and this is a text"}));
  EXPECT_EQ(InMessage("reply not 1"),
            (Lines{"4:11: a condition is true or false, and this is a number"}));
  EXPECT_EQ(InMessage("if 1 { reply none }"),
            (Lines{"4:4: a condition is true or false, and this is a number"}));
  EXPECT_EQ(InMessage("reply 1 == \"a\""),
            (Lines{"4:9: these can not be compared: a number and a text"}));
  EXPECT_EQ(InMessage("reply true < false"),
            (Lines{"4:12: these have no order: compare them with == or !="}));
  EXPECT_EQ(InMessage("reply 1 == none"), (Lines{"4:9: this is always there, never `none`"}));
  EXPECT_EQ(InMessage("reply value < none"),
            (Lines{"4:13: `none` has no order: compare it with == or !="}));
  EXPECT_EQ(
      InMessage("reply value == \"a\""),
      (Lines{"4:7: `value` may be absent here | open it first: let it = value else not_found"}));
  EXPECT_EQ(InMessage("reply if true then 1 else \"a\""),
            (Lines{"4:7: the two sides do not match: a number and a text"}));
  EXPECT_EQ(InMessage("reply m == sed", "(m: one of sad happy)"),
            (Lines{"4:12: there is no `sed` here | did you mean `sad`?"}));
}

TEST(ModuleErrorsTest, NumbersAndCalls) {
  EXPECT_EQ(InMessage("reply 9223372036854775808"),
            (Lines{"4:7: this number is too large | the largest is 9223372036854775807"}));
  EXPECT_EQ(InMessage("reply 99999999999999999999"),
            (Lines{"4:7: this number is too large | numbers have 64 bits"}));
  EXPECT_EQ(InMessage("reply -9223372036854775808"), Lines{});
  EXPECT_EQ(InMessage("reply -9223372036854775809"),
            (Lines{"4:8: this number is too large | the largest is 9223372036854775807"}));
  EXPECT_EQ(InMessage("reply 9223372036854775807 + 1"),
            (Lines{"4:27: this number is always out of range | numbers have 64 bits"}));
  EXPECT_EQ(InMessage("reply 1 / 0"), (Lines{"4:9: this divides by zero"}));
  EXPECT_EQ(InMessage("reply 1_\nreply 1__0\nreply 01\nreply 1kb\nreply 1.5"),
            (Lines{"4:7: `_` stands between digits only",
                   "5:1: this never runs: a reply ends the message",
                   "5:7: `_` stands between digits only", "6:7: a number does not start with 0",
                   "7:8: `kb` is no unit | sizes end in KiB, MiB or GiB, times in ms, s, m, h or "
                   "d",
                   "8:7: numbers with a fraction are not supported yet"}));
  EXPECT_EQ(InMessage("reply sise(key)"),
            (Lines{"4:7: there is no function `sise` | did you mean `size`?"}));
  EXPECT_EQ(InMessage("reply size()"), (Lines{"4:7: `size` takes one text or bytes"}));
  EXPECT_EQ(InMessage("reply size(key, key)"), (Lines{"4:7: `size` takes one text or bytes"}));
  EXPECT_EQ(InMessage("reply size(1)"),
            (Lines{"4:7: `size` takes a text or bytes, and this is a number"}));
  EXPECT_EQ(InMessage("reply size(key"), (Lines{"5:1: expected `,` or `)`, but here is `}`"}));
}

TEST(ModuleErrorsTest, Statements) {
  EXPECT_EQ(InMessage("reqire true else full"),
            (Lines{"4:1: expected a statement (`let`, `if`, `for`, `require`, `reply`, `name = "
                   "...`), but here is `reqire` | did you mean `require`?"}));
  EXPECT_EQ(InMessage("let a = 1 let b = 2\nreply c"),
            (Lines{"4:11: expected the end of the statement, but here is `let` | statements stand "
                   "on lines of "
                   "their own or behind `;`",
                   "5:7: there is no `c` here"}));
  EXPECT_EQ(InMessage("let a =\nreply a"), (Lines{"5:1: expected a value, but here is `reply`"}));
  EXPECT_EQ(InMessage("reply 1\nreply 2\nreply 3"),
            (Lines{"5:1: this never runs: a reply ends the message"}));
  EXPECT_EQ(InMessage("if true { reply 1 } else { reply 2 }\nreply 3"),
            (Lines{"5:1: this never runs: a reply ends the message"}));
  EXPECT_EQ(InMessage("if true { reply 1 }\nreply 3"), Lines{});
  EXPECT_EQ(InMessage("reply 1 < 2 < 3"),
            (Lines{"4:13: comparisons do not chain | write `a < b and b < c`"}));
  EXPECT_EQ(InMessage("if true then { reply 1 }"),
            (Lines{"4:9: expected `{`, but here is `then` | `if c then a else b` is a value; a "
                   "statement has blocks"}));
  EXPECT_EQ(
      InMessage("let a = if true then 1\nreply a"),
      (Lines{
          "5:1: expected `else`, but here is `reply` | a value needs both: `if c then a else b`"}));
}

TEST(ModuleErrorsTest, TextsAndCharacters) {
  EXPECT_EQ(
      InMessage("reply \"abc\nreply b"),
      (Lines{"4:7: this text has no closing quote on its line | write a line end in it as \\n",
             "5:1: this never runs: a reply ends the message", "5:7: there is no `b` here"}));
  EXPECT_EQ(InMessage("reply \"a\\qb\""),
            (Lines{"4:9: this is no escape | escapes are \\n \\t \\r \\\" \\\\ and \\u{1F600}"}));
  EXPECT_EQ(InMessage("reply \"\\u{D800}\""),
            (Lines{"4:8: this is no escape | escapes are \\n \\t \\r \\\" \\\\ and \\u{1F600}"}));
  EXPECT_EQ(InMessage("reply \"a\tb\""),
            (Lines{"4:9: a control character in a text | write it as \\t, \\r, \\n or \\u{...}"}));
  EXPECT_EQ(InMessage("reply true && true"), (Lines{"4:12: `&` can not stand here | write `and`",
                                                    "4:15: expected the end of the statement, but "
                                                    "here is `true` | statements stand on lines of "
                                                    "their own or behind `;`"}));
  EXPECT_EQ(InMessage("# note"), (Lines{"4:1: `#` can not stand here | comments start with //",
                                        "4:3: expected a statement (`let`, `if`, `for`, "
                                        "`require`, `reply`, `name = ...`), but here is `note`"}));
  EXPECT_EQ(Errors(Bytes("module m 1\n\0", 12)), (Lines{"2:1: this can not stand here"}));
  EXPECT_EQ(Errors("module m 1\ntype \xFF"), (Lines{"2:6: this is not UTF-8"}));
}

TEST(ModuleErrorsTest, BracesThatAreMissingOrTooMany) {
  EXPECT_EQ(InDocument("message x {\n reply none\nmessage y { reply z }\n"),
            (Lines{"5:1: expected `}`, but here is `message`", "5:19: there is no `z` here"}));
  EXPECT_EQ(
      InDocument("message x { reply none } }\nmessage y { reply z }\n"),
      (Lines{"3:26: expected the end of the line, but here is `}`", "4:19: there is no `z` here"}));
  EXPECT_EQ(InDocument("message x {\n"),
            (Lines{"4:1: expected `}`, but here is the end of the file"}));
}

TEST(ModuleErrorsTest, Ceilings) {
  EXPECT_EQ(InMessage("reply t", "(t: text(..200KiB))"),
            (Lines{"4:7: this answer can have 1228802 bytes | at most 1MiB; a text is answered as "
                   "JSON, up to 6 "
                   "bytes for each of its own"}));
  EXPECT_EQ(InMessage("reply b", "(b: bytes(..2MiB))"),
            (Lines{"4:7: this answer can have 2097152 bytes | at most 1MiB; only the stored bytes "
                   "as they stand "
                   "may be larger"}));
  EXPECT_EQ(InMessage("reply a == b", "(a: bytes(..64MiB), b: bytes(..64MiB))"),
            (Lines{"3:9: this message may take 3145734 steps | at most 1000000; narrow the sizes "
                   "that it works on"}));
  std::string doubling = "let a0 = value else \"\"\n";
  for (int i = 1; i <= 30; ++i)
    absl::StrAppend(&doubling, "let a", i, " = a", i - 1, " + a", i - 1, "\n");
  EXPECT_EQ(
      InMessage(doubling),
      (Lines{
          "31:15: this can have 8589934592 bytes | at most 4GiB; narrow the types of its parts"}));
  doubling.resize(doubling.find("let a24"));
  EXPECT_EQ(InMessage(doubling).size(), 1u)
      << "joins of millions of parts take more steps than an event may";
}

TEST(ModuleErrorsTest, DeepNestingIsRefusedEverywhere) {
  const auto repeat = [](Bytes text, int times) {
    std::string repeated;
    for (int i = 0; i < times; ++i) absl::StrAppend(&repeated, text);
    return repeated;
  };
  for (const std::string& statement :
       {"reply " + repeat("(", 100000), "reply " + repeat("-", 100000) + "1",
        "reply " + repeat("not ", 100000), "reply 1" + repeat(" + 1", 100000),
        repeat("if true {\n", 50000), repeat("if true { } else ", 50000),
        "reply " + repeat("if true then ", 50000), "reply " + repeat("size(", 100000),
        "reply " + repeat("key[", 100000), "reply key" + repeat("[..]", 100000)}) {
    const Lines lines = InMessage(statement);
    ASSERT_FALSE(lines.empty());
    EXPECT_NE(absl::StrJoin(lines, "\n").find("nests too deeply"), std::string::npos)
        << statement.substr(0, 30);
  }
}

TEST(ModuleErrorsTest, AFileOverTheLimitIsRefusedUnread) {
  std::string text = "module m 1\n";
  text.resize((1 << 20) + 1, ' ');
  EXPECT_EQ(Errors(text),
            (Lines{"1:1: a module text has at most 1048576 bytes, this has 1048577"}));
}

}  // namespace
}  // namespace pure::modules
