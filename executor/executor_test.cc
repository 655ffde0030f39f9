#include "executor/executor.h"

#include <string>
#include <vector>

#include "executor/testing/scripted_handle.h"
#include "gtest/gtest.h"
#include "modules/module.h"
#include "store/memory_store.h"
#include "store/store.h"

namespace pure::executor {
namespace {

constexpr Bytes kModule = R"(module tested 1
document object(key: slug(64)): bytes(..1MiB)
  message show { reply value else not_found }
  message edit(body: bytes(..1MiB)) { value = body; reply none }
  message append(line: bytes(..1KiB)) {
    let old = value else ""
    value = old + line
    reply revision
  }
)";

class ExecutorTest : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<modules::Error> errors;
    module_ = modules::Module::Load(kModule, &errors);
    ASSERT_NE(module_, nullptr) << modules::FormatErrors("test", kModule, errors);
    handle_ = store_.NewHandle();
    other_ = store_.NewHandle();
    scripted_ = std::make_unique<ScriptedHandle>(handle_.get());
    executor_ = std::make_unique<Executor>(
        Executor::Parts{.module = module_.get(), .store = scripted_.get()}, 64);
  }

  Job Make(const char* message, Bytes key, Bytes payload, Condition condition = {}) {
    Job job;
    job.effect.ticket = {++tickets_, 1};
    job.effect.kind = Bytes(message) == "show" ? Kind::kRead : Kind::kWrite;
    job.effect.key = Key(key);
    job.effect.condition = condition;
    job.effect.payload = payload;
    job.route.index = static_cast<uint16_t>(module_->FindMessage(message));
    return job;
  }
  Job Show(Bytes key) { return Make("show", key, ""); }
  Job Edit(Bytes key, Bytes payload, Condition condition = {}) {
    return Make("edit", key, payload, condition);
  }

  struct Answer {
    Result result;
    uint64_t revision;
    std::string body;
  };
  // The bursts of a round, each with its answers.
  std::vector<std::vector<Answer>> Run(const std::vector<Job>& round) {
    std::vector<std::vector<Answer>> bursts;
    executor_->Run(round, [&](absl::Span<Applied> burst) {
      std::vector<Answer>& answers = bursts.emplace_back();
      for (const Applied& applied : burst) {
        std::string body;
        for (const Bytes span : applied.body.spans()) body.append(span);
        answers.push_back({applied.result, applied.revision, body});
      }
    });
    return bursts;
  }

  // Another thread's commit.
  void OtherWrites(Bytes key, Bytes value) {
    other_->TakeLook();
    store::Found found;
    ASSERT_EQ(other_->Peek(key, &found), Result::kOk);
    ASSERT_EQ(other_->Stage(key, found.revision, {value}), Result::kOk);
    ASSERT_EQ(other_->Commit(), Result::kOk);
    other_->DropLook();
  }

  store::MemoryStore store_;
  std::unique_ptr<const modules::Module> module_;
  std::unique_ptr<store::StoreHandle> handle_, other_;
  std::unique_ptr<ScriptedHandle> scripted_;
  std::unique_ptr<Executor> executor_;
  uint32_t tickets_ = 0;
};

constexpr Condition kAbsent = {Condition::Kind::kAbsent, 0};

Condition At(uint64_t revision) { return {Condition::Kind::kRevision, revision}; }

TEST_F(ExecutorTest, WritesOfDifferentDocumentsShareOneSave) {
  const auto bursts = Run({Edit("a", "1", kAbsent), Edit("b", "2", kAbsent), Show("c")});
  ASSERT_EQ(bursts.size(), 1u);
  EXPECT_EQ(scripted_->commits, 1);
  EXPECT_EQ(bursts[0][0].result, Result::kOk);
  EXPECT_EQ(bursts[0][0].revision, 1u);
  EXPECT_EQ(bursts[0][1].result, Result::kOk);
  EXPECT_EQ(bursts[0][2].result, Result::kNotFound);
}

TEST_F(ExecutorTest, ADocumentThatWasWrittenEndsTheBurstBeforeItIsNamedAgain) {
  const auto bursts =
      Run({Edit("a", "one", kAbsent), Show("a"), Edit("a", "two", At(1)), Show("a")});
  ASSERT_EQ(bursts.size(), 3u);
  EXPECT_EQ(bursts[1][0].body, "one");
  EXPECT_EQ(bursts[1][1].revision, 2u);
  EXPECT_EQ(bursts[2][0].body, "two");
  EXPECT_EQ(scripted_->commits, 2);
}

TEST_F(ExecutorTest, ReadsOfOneDocumentShareABurstWithoutASave) {
  OtherWrites("a", "x");
  const auto bursts = Run({Show("a"), Show("a"), Show("a")});
  ASSERT_EQ(bursts.size(), 1u);
  EXPECT_EQ(bursts[0][2].body, "x");
  EXPECT_EQ(scripted_->commits, 0);
}

TEST_F(ExecutorTest, TheSecondWriteOnTheSameRevisionLosesWhateverTheBurst) {
  OtherWrites("a", "x");
  const auto bursts = Run({Edit("a", "1", At(1)), Edit("a", "2", At(1))});
  ASSERT_EQ(bursts.size(), 2u);
  EXPECT_EQ(bursts[0][0].result, Result::kOk);
  EXPECT_EQ(bursts[1][0].result, Result::kConflict);
  EXPECT_EQ(bursts[1][0].revision, 2u);
}

TEST_F(ExecutorTest, AFailedSaveFailsTheWholeBurstReadsIncluded) {
  OtherWrites("r", "x");
  scripted_->commit_result = Result::kUncertain;
  const auto bursts =
      Run({Show("r"), Edit("a", "1", kAbsent), Edit("r", "2", kAbsent), Show("no")});
  ASSERT_EQ(bursts.size(), 1u);
  EXPECT_EQ(bursts[0][0].result, Result::kUncertain);
  EXPECT_EQ(bursts[0][0].body, "");
  EXPECT_EQ(bursts[0][1].result, Result::kUncertain);
  EXPECT_EQ(bursts[0][2].result, Result::kConflict) << "what had failed by itself keeps its result";
  EXPECT_EQ(bursts[0][3].result, Result::kNotFound);
}

TEST_F(ExecutorTest, ABurstEndsBeforeItsDocumentsOutgrowOneSave) {
  scripted_->stages_max = 2;
  const auto bursts =
      Run({Edit("a", "1", kAbsent), Edit("b", "2", kAbsent), Edit("c", "3", kAbsent)});
  ASSERT_EQ(bursts.size(), 2u);
  EXPECT_EQ(bursts[0].size(), 2u);
  EXPECT_EQ(bursts[1][0].result, Result::kOk);
}

TEST_F(ExecutorTest, ADocumentThatFitsNoSaveIsRefused) {
  scripted_->stages_max = 0;
  const auto bursts = Run({Show("z"), Edit("a", "1", kAbsent)});
  ASSERT_EQ(bursts.size(), 2u);
  EXPECT_EQ(bursts[1][0].result, Result::kLimit);
}

TEST_F(ExecutorTest, AWriteThatLostToAnotherThreadIsJudgedOnTheNewerLook) {
  OtherWrites("a", "x");
  bool once = true;
  scripted_->before_commit = [&] {
    if (std::exchange(once, false)) OtherWrites("a", "other");
  };
  const auto bursts = Run({Edit("a", "mine", At(1)), Edit("b", "2", kAbsent)});
  ASSERT_EQ(bursts.size(), 1u);
  EXPECT_EQ(bursts[0][0].result, Result::kConflict);
  EXPECT_EQ(bursts[0][0].revision, 2u);
  EXPECT_EQ(bursts[0][1].result, Result::kOk);
}

TEST_F(ExecutorTest, AnUnconditionalMessageThatLostIsAppliedAgain) {
  OtherWrites("a", "x");
  int left = 3;
  scripted_->before_commit = [&] {
    if (left-- > 0) OtherWrites("a", "other");
  };
  const auto bursts = Run({Make("append", "a", "!")});
  ASSERT_EQ(bursts.size(), 1u);
  EXPECT_EQ(bursts[0][0].result, Result::kOk);
  EXPECT_EQ(bursts[0][0].revision, 5u);
  EXPECT_EQ(bursts[0][0].body, "5");
  EXPECT_EQ(Run({Show("a")})[0][0].body, "other!");
}

TEST_F(ExecutorTest, AMessageThatAlwaysLosesIsToldToComeBack) {
  OtherWrites("a", "x");
  scripted_->before_commit = [&] { OtherWrites("a", "other"); };
  EXPECT_EQ(Run({Make("append", "a", "!")})[0][0].result, Result::kBusy);
}

}  // namespace
}  // namespace pure::executor
