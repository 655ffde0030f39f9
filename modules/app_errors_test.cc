// Faulty modules with states, inputs, views and tests: what is wrong with each, and where.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "modules/module.h"

namespace pure::modules {
namespace {

// What stands above each.
constexpr Bytes kHead = R"(module m 1
type Row = { id: int, name: text(..9), done: bool }
state rows: list(Row, 100)
state n: int(0..9) = 1
state tags: map(slug(4), int, 5)
)";

struct Faulty {
  const char* text;
  const char* errors;  // "LINE:COLUMN: what | help", with semicolons between
};

constexpr Faulty kFaulty[] = {
    {"input a { rows.push({ id: 1, name: \"x\" }) }", "6:21: the field `done` is missing here"},
    {"input a { rows.push({ id: 1, name: \"x\", done: false, more: 2 }) }",
     "6:54: there is no field `more` in { id: int, name: text(..9), done: bool }"},
    {"input a { rows.push({ id: \"1\", name: \"x\", done: false }) }",
     "6:27: the field `id` is int, and this is a text"},
    {"input a { rows.push({ id: 1, name: \"0123456789\", done: false }) }",
     "6:36: this never fits: the field `name` is text(..9), and this is text(10..10)"},
    {"input a { row.push(1) }", "6:11: there is no `row` here | did you mean `now`?"},
    {"input a { rows.put(1, 2) }",
     "6:16: a list has no `put` | lists and rings have push, remove and clear; maps and sets put, "
     "remove and clear"},
    {"input a { tags.push(1) }",
     "6:16: a map has no `push` | lists and rings have push, remove and clear; maps and sets put, "
     "remove and clear"},
    {"input a { tags.put(\"abc\", 1, 2) }", "6:16: `put` takes 2 values here, and here are 3"},
    {"input a { n = 10 }", "6:15: this never fits: `n` is int(0..9), and this is int(10..10)"},
    {"input a { n = \"x\" }", "6:15: `n` is int(0..9), and this is a text"},
    {"input a { let x = rows[0].id }",
     "6:23: this may be absent | open it first: let it = ... else not_found"},
    {"input a { let x = rows[0]\n x.id = 1 }",
     "7:2: `x` may be absent here | open it first: let it = x else not_found"},
    {"input a { rows[0].id = 1 }",
     "6:19: this can not be changed in its place | take it out with `let`, change it, and put it "
     "back"},
    {"input a { for r in rows { r.done = true } }",
     "6:27: `r` can not be assigned | copy it: let copy = r"},
    {"input a { change r in rows if r.id == 1 { rows.clear() } }",
     "6:43: `rows` is being changed here already"},
    {"input a { change r in rows if r.ident == 1 { r.done = true } }",
     "6:33: this record has no field `ident`"},
    {"input a { change r in rows if r.id { r.done = true } else nope }",
     "6:33: a condition is true or false, and this is a number; 6:59: the name of a fault stands "
     "here | for when there is no such element"},
    {"input a { for r in n { } }", "6:20: this has no elements: it is a number"},
    {"input a { let s = \"\"\n for r in rows { s += r.name } }",
     "7:20: `s` could grow each time around | gather the parts in a list, or write them with a "
     "template"},
    {"input a { let rows = 1 }", "6:15: `rows` is a state"},
    {"input a(x: list(int, 3)) { }",
     "6:12: a parameter is one value, and this is a list | give each of its fields a parameter"},
    {"input a at \"sign\" { }",
     "6:12: this is no path of this server | it starts with `/` and is made of letters, digits and "
     "-._~/, for example \"/sign\""},
    {"input a at \"/objects/x\" { }",
     "6:12: paths below /-/, /objects/, /views/ and /inputs/ are taken"},
    {"input a at \"/x\" { }\ninput b at \"/x\" { }", "7:12: `a` is at this path already"},
    {"input a as json { }", "6:12: an input answers JSON, or leads on by `see`"},
    {"view a { n += 1 }", "6:10: a view changes nothing"},
    {"view a { reply rows by r.id }",
     "6:21: expected the end of the statement, but here is `by` | statements stand on lines of "
     "their own or behind `;`"},
    {"view a as html <<<\n<p>{rows}</p>\n>>>",
     "7:5: a hole shows a text, a number or a time, and this is a list"},
    {"view a as html <<<\n<p class={n}>\n>>>",
     "7:11: an attribute with a hole has quotes around its value"},
    {"view a as html <<<\n{for r in rows}{r.nam}{end}\n>>>",
     "7:19: this record has no field `nam` | did you mean `name`?"},
    {"view a as html <<<\n{if n > 1}x\n>>>", "7:4: this block has no {end}"},
    {"view a as html <<<\n{n:date}\n>>>",
     "7:4: there is no format `date` for a number | times are shown as iso, date or time"},
    {"view a <<<\n{n}\n>>>", "6:6: a template needs to know what it makes | view a as html <<<"},
    {"view a as html { reply rows }",
     "6:24: a view of text/html; charset=utf-8 answers a text or bytes, and this is a list"},
    {"view a as json { reply [ r for r in rows, s in rows ] }",
     "6:41: expected `,`, `for` or `]`, but here is `,`"},
    {"input slow { for a in rows { for b in rows { for c in rows { if a.id == b.id and b.id == "
     "c.id { n = 1 } } } } }",
     "6:7: this event may take 84546497 steps | at most 1000000; narrow the sizes that it works "
     "on, or take fewer elements"},
    {"fn f(x: int): int = g(x)\nfn g(x: int): int = x", "6:21: there is no function `g`"},
    {"fn f(x: int): text(..3) = x", "6:27: `f` is text(..3), and this is a number"},
    {"fn n(x: int): int = x", "6:4: `n` is taken | something else has this name above"},
    {"state s: int", "6:7: `s` has no first value | write it behind the type: state s: int = ..."},
    {"state s: list(int, 0)", "6:20: a list has 1 to 10000000 elements"},
    {"state s: map(Row, int, 5)",
     "6:14: the key of a map is a number, a text or the like, and always there"},
    {"state s: set(text(..9)?, 5)",
     "6:14: what is in a set is a number, a text or the like, and always there"},
    {"view v { reply (n else 1) }", "6:17: this `else` is never taken: the value is always there"},
    {"view v { reply sum(r.name for r in rows) }", "6:22: this takes numbers, and here is a text"},
    {"view v { reply any r in rows }", "6:16: this wants a condition | any e in entries if e.done"},
    {"view v { reply count(n) }", "6:16: `count` takes a list or the like, and this is a number"},
    {"view v { reply now }", "6:16: there is no `now` here"},
    {"input a { see 5 }", "6:15: `see` takes a text, and this is a number"},
    {"view v { reply 1 }\ntest \"t\" { v }", "7:12: there is no `v` here"},
    {"view v { reply 1 }\ntest \"t\" { v(x: 1) }", "7:14: there is no parameter for this"},
    {"input a(x: int) { }\ntest \"t\" { a() }", "7:12: `x` is missing"},
    {"view v { reply 1 }\ntest \"t\" { expect v() fault nope }", "7:29: there is no fault `nope`"},
    {"view v { reply 1 }\ntest \"t\" { expect v() }",
     "7:19: a condition is true or false, and this is a text"},
    {"type R = { a: int, a: int }", "6:20: the field `a` stands twice"},
    {"type R = { }", "6:10: a record has at least one field"},
    {"view v { reply { a: 1 }.b }", "6:25: this record has no field `b`"},
    {"view v { reply [] }", "6:16: what is in this list can not be known here"},
    {"view v { reply [1, \"x\"] }", "6:20: the elements of a list have one type"},
    {"view v { reply n has \"x\" }", "6:18: `has` stands in tests only"},
};

TEST(AppErrorsTest, EachIsNamedWithItsPlace) {
  for (const Faulty& faulty : kFaulty) {
    std::vector<Error> errors;
    EXPECT_EQ(Module::Load(absl::StrCat(kHead, faulty.text, "\n"), &errors), nullptr);
    std::string found;
    for (const Error& error : errors) {
      absl::StrAppend(&found, found.empty() ? "" : "; ", error.line, ":", error.column, ": ",
                      error.what, error.help.empty() ? "" : " | ", error.help);
    }
    EXPECT_EQ(found, faulty.errors) << faulty.text;
  }
}

// What looks odd and is right.
TEST(AppErrorsTest, AndTheseLoad) {
  for (const char* text :
       {"input a { for r in rows { n = 1 } }",
        "view v { reply [ [ s.id for s in rows take 3 ] for r in rows ] }",
        "input a { drop r in rows if r.done; change r in rows { r.done = true } }",
        "view a as html <<<\n{for r in rows}<b>{end}\n>>>", "input a(t: time, d: span?) { }",
        "view v { reply tags }\nview w { reply (tags[\"a\"] else 0) }"}) {
    std::vector<Error> errors;
    const std::string module = absl::StrCat(kHead, text, "\n");
    EXPECT_NE(Module::Load(module, &errors), nullptr) << FormatErrors("m", module, errors);
  }
}

}  // namespace
}  // namespace pure::modules
