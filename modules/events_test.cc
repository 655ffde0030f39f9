// States, inputs and views, from a module's text to what the store holds.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "modules/app.h"
#include "modules/module.h"
#include "modules/states.h"
#include "runtime/budget.h"
#include "store/memory_store.h"

namespace pure::modules {
namespace {

class EventsTest : public ::testing::Test {
 protected:
  void Load(const std::string& text) {
    std::vector<Error> errors;
    module_ = Module::Load(text, &errors);
    ASSERT_NE(module_, nullptr) << FormatErrors("test.pure", text, errors);
    text_ = text;
    Start();
  }
  // As after a restart.
  void Start() {
    app_.reset();
    states_.reset();
    const absl::Status opened = States::Open(*module_, text_, &store_, &states_);
    ASSERT_TRUE(opened.ok()) << opened;
    handle_ = store_.NewHandle();
    app_ = std::make_unique<App>(module_.get(), handle_.get(), states_.get(), &budget_);
  }
  // What the handler answers: its body, or the result's name and what goes with it.
  std::string Run(const std::string& name, const std::string& form = "") {
    handle_->TakeLook();
    Reply reply;
    const auto handlers = module_->handlers();
    for (size_t i = 0; i < handlers.size(); ++i) {
      if (handlers[i].name == name) {
        app_->ApplyHandler(static_cast<uint16_t>(i), {.now_ms = now_ms_, .random = 5},
                           {form, BodyEncoding::kForm}, &reply);
      }
    }
    Result saved = Result::kOk;
    if (app_->StatesChanged()) {
      saved = app_->StageStates();
      if (saved == Result::kOk) saved = handle_->Commit();
    }
    app_->Settle(saved == Result::kOk);
    EXPECT_EQ(saved, Result::kOk);
    std::string answer;
    if (reply.result == Result::kFault) return std::string(module_->faults()[reply.detail].name);
    if (reply.result != Result::kOk) {
      return absl::StrCat(ResultName(reply.result), " ", reply.detail);
    }
    for (const Bytes span : reply.body.spans()) answer.append(span);
    for (const Bytes span : reply.location.spans()) absl::StrAppend(&answer, "see ", span);
    return answer;
  }

  store::MemoryStore store_;
  std::string text_;
  std::unique_ptr<const Module> module_;
  std::unique_ptr<States> states_;
  Budget budget_{size_t{1} << 20};
  std::unique_ptr<store::StoreHandle> handle_;
  std::unique_ptr<App> app_;
  int64_t now_ms_ = 1'764'583'200'000;
};

TEST_F(EventsTest, AListIsPushedToChangedAndShown) {
  Load(R"(module m 1
state rows: list({ id: int, name: text(..20), done: bool }, 5)
state next: int = 1
input add(name: text(1..20)) {
  rows.push({ id: next, name: name, done: false })
  next += 1
  reply next
}
input finish(id: int)
  fault unknown 404 "There is none."
{
  change r in rows if r.id == id { r.done = true } else unknown
}
input clean() { drop r in rows if r.done }
view all as json { reply rows }
view open as json { reply [ r.name for r in rows if not r.done by r.id down ] }
view some as json {
  reply { n: count(rows), done: count r in rows if r.done, any: any r in rows if r.done,
          last: first r in rows by r.id down, sum: sum(r.id for r in rows) }
}
)");
  EXPECT_EQ(Run("all"), "[]");
  EXPECT_EQ(Run("add", "name=a"), "2");
  EXPECT_EQ(Run("add", "name=b"), "3");
  EXPECT_EQ(Run("add", "name=c"), "4");
  EXPECT_EQ(Run("all"), R"([{"id":1,"name":"a","done":false},{"id":2,"name":"b","done":false},)"
                        R"({"id":3,"name":"c","done":false}])");
  EXPECT_EQ(Run("finish", "id=2"), "");
  EXPECT_EQ(Run("finish", "id=9"), "unknown");
  EXPECT_EQ(Run("open"), R"(["c","a"])");
  EXPECT_EQ(Run("some"),
            R"({"n":3,"done":1,"any":true,"last":{"id":3,"name":"c","done":false},"sum":6})");
  Start();
  EXPECT_EQ(Run("open"), R"(["c","a"])");
  EXPECT_EQ(Run("clean"), "");
  EXPECT_EQ(Run("all"), R"([{"id":1,"name":"a","done":false},{"id":3,"name":"c","done":false}])");
  EXPECT_EQ(Run("add", "name=d"), "5");
  EXPECT_EQ(Run("add", "name=e"), "6");
  EXPECT_EQ(Run("add", "name=f"), "7");
  EXPECT_EQ(Run("add", "name=g"), "full");
  EXPECT_EQ(Run("add", "name="), "type 0");
  EXPECT_EQ(Run("some").substr(0, 6), R"({"n":5)");
}

TEST_F(EventsTest, AViewIsKeptUntilAStateIsSavedThatItReads) {
  Load(R"(module m 1
state a: int = 0
state b: int = 0
input add_a { a += 1 }
input add_b { b += 1 }
view show_a as json { reply a }
view both as json { reply { a: a, b: b, commit: commit } }
view sum(with: int?) as json { let w = with else 0
  reply a + w }
)");
  const auto ask = [this](uint16_t handler, Bytes form = "") {
    Reply reply;
    handle_->TakeLook();
    app_->ApplyHandler(handler, {}, {form, BodyEncoding::kForm}, &reply);
    EXPECT_EQ(reply.result, Result::kOk);
    return reply;
  };
  const auto text = [](const Reply& reply) { return std::string(reply.body.spans()[0]); };
  (void)ask(2);
  const Reply first = ask(2);
  const Reply second = ask(2);
  EXPECT_EQ(first.body.spans()[0].data(), second.body.spans()[0].data()) << "it is lent again";
  EXPECT_EQ(first.revision, second.revision);
  EXPECT_NE(first.revision, 0u);
  Run("add_b");
  EXPECT_EQ(ask(2).body.spans()[0].data(), first.body.spans()[0].data()) << "it does not read b";
  EXPECT_EQ(text(ask(3)), R"({"a":0,"b":1,"commit":2})");
  // While the save is due, what is shown has no revision: it may never be saved, or with more.
  (void)ask(0);
  const Reply due = ask(2);
  EXPECT_EQ(text(due), "1");
  EXPECT_EQ(due.revision, 0u);
  EXPECT_EQ(ask(3).revision, 0u);
  app_->Settle(false);
  EXPECT_EQ(text(ask(2)), "0");
  EXPECT_EQ(ask(2).revision, first.revision);
  Run("add_a");
  const Reply later = ask(2);
  EXPECT_EQ(text(later), "1");
  EXPECT_GT(later.revision, first.revision);
  EXPECT_EQ(text(first), "0") << "what was lent stays";
  EXPECT_EQ(text(ask(4, "with=5")), "6");
  EXPECT_EQ(text(ask(4)), "1");
}

TEST_F(EventsTest, MapsSetsRingsAndNestedOnes) {
  Load(R"(module meter 1
type Sample = { at: time, milli: int(-1000..1000) }
type Sensor = { last: time, low: int, high: int, samples: ring(Sample, 3) }
state sensors: map(slug(16), Sensor, 2)
state tags: set(text(..10), 3)
input report(id: slug(16), milli: int(-1000..1000)) {
  let s = sensors[id] else { last: now, low: milli, high: milli, samples: [] }
  s.samples.push({ at: now, milli: milli })
  s.last = now
  s.low = min(s.low, milli)
  s.high = max(s.high, milli)
  sensors.put(id, s)
}
input tag(name: text(..10)) { tags.put(name) }
input untag(name: text(..10)) { tags.remove(name) }
input forget(id: slug(16)) { sensors.remove(id) }
view all as json {
  reply [ { id: k, low: s.low, high: s.high, n: [ x.milli for x in s.samples ],
            last: (first x in s.samples by x.at down else none) } for k, s in sensors ]
}
view one(id: slug(16)) as json { let s = sensors[id] else not_found
  reply s.high }
view tagged as json { reply tags }
)");
  for (const char* milli : {"5", "-3", "7", "2"}) {
    now_ms_ += 1000;
    EXPECT_EQ(Run("report", absl::StrCat("id=roof&milli=", milli)), "");
  }
  EXPECT_EQ(Run("report", "id=attic&milli=1"), "");
  EXPECT_EQ(Run("report", "id=cellar&milli=1"), "full");
  EXPECT_EQ(Run("report", "id=roof&milli=1001"), "type 1");
  EXPECT_EQ(
      Run("all"),
      absl::StrCat(R"([{"id":"attic","low":1,"high":1,"n":[1],"last":{"at":)", now_ms_,
                   R"(,"milli":1}},{"id":"roof","low":-3,"high":7,"n":[-3,7,2],"last":{"at":)",
                   now_ms_, R"(,"milli":2}}])"));
  EXPECT_EQ(Run("one", "id=roof"), "7");
  EXPECT_EQ(Run("one", "id=none"), "not_found 3");
  for (const char* name : {"b", "a", "b", "c"}) Run("tag", absl::StrCat("name=", name));
  EXPECT_EQ(Run("tag", "name=d"), "full");
  EXPECT_EQ(Run("tagged"), R"(["a","b","c"])");
  Run("untag", "name=b");
  Run("untag", "name=x");
  EXPECT_EQ(Run("tagged"), R"(["a","c"])");
  Run("forget", "id=attic");
  Start();
  EXPECT_EQ(Run("all").substr(0, 13), R"([{"id":"roof")");
  EXPECT_EQ(Run("tagged"), R"(["a","c"])");
}

TEST_F(EventsTest, APageIsEscapedWhereItsHolesStand) {
  Load(R"(module m 1
state rows: list({ name: text(..40), url: text(..80) }, 10)
input add(name: text(..40), url: text(..80)) { rows.push({ name: name, url: url }) }
view home at "/" as html <<<
<ul>
{for r in rows}
<li><a title="{r.name}" href="{r.url}">{r.name}</a> <a href="/find?q={r.name}">find</a></li>
{else}
<li>none {{}}</li>
{end}
</ul>
>>>
view table as csv <<<
name
{for r in rows}
{r.name}
{end}
>>>
)");
  EXPECT_EQ(Run("home"), "<ul>\n<li>none {}</li>\n</ul>\n");
  Run("add", "name=%3Cb%3E%26%22&url=javascript:alert(1)");
  Run("add", "name=%3D1,2&url=https://a.example/?a%3D1%26b");
  EXPECT_EQ(Run("home"),
            "<ul>\n"
            "<li><a title=\"&lt;b&gt;&amp;&quot;\" href=\"#\">&lt;b&gt;&amp;&quot;</a> "
            "<a href=\"/find?q=%3Cb%3E%26%22\">find</a></li>\n"
            "<li><a title=\"=1,2\" href=\"https://a.example/?a=1&amp;b\">=1,2</a> "
            "<a href=\"/find?q=%3D1%2C2\">find</a></li>\n"
            "</ul>\n");
  EXPECT_EQ(Run("table"), "name\n\"<b>&\"\"\"\n\"'=1,2\"\n");
}

TEST_F(EventsTest, FunctionsStatesWithoutElementsAndFaults) {
  Load(R"(module m 1
fn double(n: int(0..100)): int(0..200) = n * 2
fn twice(n: int(0..50)): int = double(double(n))
state hits: int(0..9) = 3
state conf: { title: text(..10), size: int } = { title: "t", size: 1 }
state maybe: text(..5)?
input hit() { hits += 4 }
input rename(title: text(..10)) { conf.title = title; conf.size += 1; maybe = title }
input both() { hits = 0; conf.size = 1 / (conf.size - conf.size); reply none }
view v as json { reply { hits: hits, conf: conf, maybe: maybe, four: twice(5) } }
)");
  EXPECT_EQ(Run("v"), R"({"hits":3,"conf":{"title":"t","size":1},"maybe":null,"four":20})");
  EXPECT_EQ(Run("hit"), "");
  EXPECT_EQ(Run("hit"), "overflow");
  EXPECT_EQ(Run("rename", "title=hi"), "");
  EXPECT_EQ(Run("rename", "title=too+long"), "full");
  EXPECT_EQ(Run("both"), "divide");
  Start();
  EXPECT_EQ(Run("v"), R"({"hits":7,"conf":{"title":"hi","size":2},"maybe":"hi","four":20})");
}

}  // namespace
}  // namespace pure::modules
