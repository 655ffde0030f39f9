// Bursts of inputs, views and documents on one save.

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "executor/executor.h"
#include "executor/testing/scripted_handle.h"
#include "gtest/gtest.h"
#include "modules/module.h"
#include "modules/states.h"
#include "store/memory_store.h"
#include "tests/testing/simulated_clock.h"

namespace pure::executor {
namespace {

constexpr Bytes kModule = R"(module tested 1
state hits: int = 0
state times: list(time, 5)
input hit(fails: bool)
  fault wanted 409 "It was wanted."
{
  hits += 1
  times.push(now)
  require not fails else wanted
  reply hits
}
view total as json { reply hits }
view each as json { reply times }
document object(key: slug(64)): bytes(..1MiB)
  message show { reply value else not_found }
  message edit(body: bytes(..1MiB)) { value = body; reply none }
  message count_up { hits += 100; reply hits }
)";

class ExecutorStatesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::vector<modules::Error> errors;
    module_ = modules::Module::Load(kModule, &errors);
    ASSERT_NE(module_, nullptr) << modules::FormatErrors("test", kModule, errors);
    Start();
  }
  // As after a restart.
  void Start() {
    executor_.reset();
    ASSERT_EQ(modules::States::Open(*module_, kModule, &store_, &states_), absl::OkStatus());
    handle_ = store_.NewHandle();
    scripted_ = std::make_unique<ScriptedHandle>(handle_.get());
    executor_ = std::make_unique<Executor>(Executor::Parts{.module = module_.get(),
                                                           .store = scripted_.get(),
                                                           .states = states_.get(),
                                                           .clock = &clock_},
                                           64);
  }
  Job Handler(Bytes name, Bytes form = "") {
    Job job;
    job.effect.ticket = {++tickets_, 1};
    job.effect.payload = form;
    job.route.is_handler = true;
    job.route.encoding = modules::BodyEncoding::kForm;
    for (size_t i = 0; i < module_->handlers().size(); ++i) {
      if (module_->handlers()[i].name == name) job.route.index = static_cast<uint16_t>(i);
    }
    return job;
  }
  Job Hit(bool fails = false) { return Handler("hit", fails ? "fails=true" : "fails=false"); }
  Job Message(Bytes name, Bytes key, Bytes payload = "") {
    Job job;
    job.effect.ticket = {++tickets_, 1};
    job.effect.key = Key(key);
    job.effect.payload = payload;
    job.route.index = static_cast<uint16_t>(module_->FindMessage(name));
    return job;
  }
  // "ok 1, fault, ok 2" for each burst.
  std::vector<std::string> Run(const std::vector<Job>& round) {
    std::vector<std::string> bursts;
    executor_->Run(round, [&](absl::Span<Applied> burst) {
      std::string& text = bursts.emplace_back();
      for (const Applied& applied : burst) {
        absl::StrAppend(&text, text.empty() ? "" : ", ", ResultName(applied.result));
        for (const Bytes span : applied.body.spans()) absl::StrAppend(&text, " ", span);
      }
    });
    return bursts;
  }
  using Bursts = std::vector<std::string>;

  pure::testing::SimulatedClock clock_;
  store::MemoryStore store_;
  std::unique_ptr<const modules::Module> module_;
  std::unique_ptr<modules::States> states_;
  std::unique_ptr<store::StoreHandle> handle_;
  std::unique_ptr<ScriptedHandle> scripted_;
  std::unique_ptr<Executor> executor_;
  uint32_t tickets_ = 0;
};

TEST_F(ExecutorStatesTest, InputsViewsAndDocumentsShareABurstAndASave) {
  EXPECT_EQ(Run({Hit(), Handler("total"), Message("edit", "a", "x"), Hit(), Handler("total")}),
            Bursts{"none 1, none 1, none, none 2, none 2"});
  EXPECT_EQ(scripted_->commits, 1);
  EXPECT_EQ(Run({Handler("total"), Message("show", "a")}), Bursts{"none 2, none x"});
  EXPECT_EQ(scripted_->commits, 1) << "what reads needs no save";
}

TEST_F(ExecutorStatesTest, AnInputThatFaultsLeavesNoTraceAndTouchesNoOther) {
  EXPECT_EQ(Run({Hit(), Hit(true), Hit(), Handler("hit", "fails=maybe")}),
            Bursts{"none 1, fault, none 2, type"});
  EXPECT_EQ(Run({Hit(true)}), Bursts{"fault"});
  EXPECT_EQ(scripted_->commits, 1);
  EXPECT_EQ(Run({Handler("total")}), Bursts{"none 2"});
}

TEST_F(ExecutorStatesTest, AFailedSaveFailsAllOfItsBurstAndTheStatesAreAsTheyWere) {
  EXPECT_EQ(Run({Hit()}), Bursts{"none 1"});
  for (const Result result : {Result::kFull, Result::kUncertain, Result::kStorage}) {
    scripted_->commit_result = result;
    const std::string name(ResultName(result));
    EXPECT_EQ(
        Run({Handler("total"), Hit(), Hit(true), Message("edit", "b", "x"), Handler("total")}),
        Bursts{absl::StrCat(name, ", ", name, ", fault, ", name, ", ", name)});
    scripted_->commit_result = Result::kOk;
    EXPECT_EQ(Run({Handler("total"), Message("show", "b")}), (Bursts{"none 1, not_found"}));
  }
  EXPECT_EQ(Run({Hit()}), Bursts{"none 2"});
  Start();
  EXPECT_EQ(Run({Handler("total")}), Bursts{"none 2"});
}

TEST_F(ExecutorStatesTest, AMessageOfADocumentChangesStatesToo) {
  EXPECT_EQ(Run({Message("count_up", "a"), Hit()}), Bursts{"none 100, none 101"});
  Start();
  EXPECT_EQ(Run({Handler("total")}), Bursts{"none 101"});
}

TEST_F(ExecutorStatesTest, TimeNeverGoesBackFromOneEventToTheNext) {
  (void)Run({Hit()});
  clock_.JumpWallMs(-2000);
  (void)Run({Hit()});
  clock_.JumpWallMs(3000);
  (void)Run({Hit()});
  EXPECT_EQ(Run({Handler("each")}), Bursts{"none [1577836800000,1577836800000,1577836801000]"});
}

}  // namespace
}  // namespace pure::executor
