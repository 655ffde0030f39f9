// Views beside the owner: what they show while a burst is on its way to the disk, and after.

#include "executor/reader.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "modules/app.h"
#include "modules/module.h"
#include "modules/published_look.h"
#include "modules/states.h"
#include "runtime/budget.h"
#include "runtime/bytes.h"
#include "runtime/result.h"
#include "store/memory_store.h"

namespace pure::executor {
namespace {

constexpr Bytes kModule = R"(module tested 1
state hits: int = 0
state others: int = 0
input hit { hits += 1 }
input other { others += 1 }
view total as json { reply hits }
view both as json { reply { hits: hits, others: others, commit: commit } }
view over(least: int) as json {
  require hits > least else not_found
  reply hits
}
document object(key: slug(64)): bytes(..1MiB)
  message show { reply value else not_found }
)";

class ReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::vector<modules::Error> errors;
    module_ = modules::Module::Load(kModule, &errors);
    ASSERT_NE(module_, nullptr) << modules::FormatErrors("test", kModule, errors);
    ASSERT_EQ(modules::States::Open(*module_, kModule, &store_, &states_), absl::OkStatus());
    handle_ = store_.NewHandle();
    app_ = std::make_unique<modules::App>(module_.get(), handle_.get(), states_.get());
    states_->PublishTo(&published_);
    reader_ = std::make_unique<Reader>(module_.get(), &published_, &budget_);
  }
  Job Named(Bytes name, Bytes form = "") const {
    Job job;
    job.effect.ticket = {3, 1};
    job.effect.payload = form;
    job.route.is_handler = true;
    job.route.encoding = modules::BodyEncoding::kForm;
    for (size_t i = 0; i < module_->handlers().size(); ++i) {
      if (module_->handlers()[i].name == name) job.route.index = static_cast<uint16_t>(i);
    }
    return job;
  }
  // The owner's part, up to the save.
  modules::Reply Run(Bytes name, Bytes form = "") {
    modules::Reply reply;
    handle_->TakeLook();
    app_->ApplyHandler(Named(name).route.index, {}, {form, modules::BodyEncoding::kForm}, &reply);
    return reply;
  }
  void Save() {
    ASSERT_EQ(app_->StageStates(), Result::kOk);
    ASSERT_EQ(handle_->Commit(), Result::kOk);
    app_->Settle(true);
  }
  Applied Read(Bytes name, Bytes form = "") {
    Applied applied;
    reader_->Apply(Named(name, form), &applied);
    return applied;
  }
  static std::string TextOf(const Resource& body) {
    std::string text;
    for (const Bytes span : body.spans()) text.append(span);
    return text;
  }

  store::MemoryStore store_;
  std::unique_ptr<const modules::Module> module_;
  std::unique_ptr<modules::States> states_;
  std::unique_ptr<store::StoreHandle> handle_;
  std::unique_ptr<modules::App> app_;
  Budget budget_{size_t{1} << 20};
  modules::PublishedLook published_;
  std::unique_ptr<Reader> reader_;
};

TEST_F(ReaderTest, ItTakesViewsOnly) {
  EXPECT_TRUE(reader_->Reads(Named("total").route));
  EXPECT_FALSE(reader_->Reads(Named("hit").route));
  EXPECT_FALSE(reader_->Reads(Route()));
}

TEST_F(ReaderTest, AnEventIsSeenOnceItIsSaved) {
  EXPECT_EQ(TextOf(Read("total").body), "0");
  (void)Run("hit");
  EXPECT_EQ(TextOf(Read("total").body), "0");
  Save();
  EXPECT_EQ(TextOf(Read("total").body), "1");
  (void)Run("hit");
  app_->Settle(false);
  EXPECT_EQ(TextOf(Read("total").body), "1");
}

TEST_F(ReaderTest, ItSaysWhatTheOwnerSays) {
  (void)Run("hit");
  Save();
  (void)Run("other");
  Save();
  for (const char* view : {"total", "both"}) {
    for (int times = 0; times < 2; ++times) {
      const modules::Reply owner = Run(view);
      const Applied applied = Read(view);
      EXPECT_EQ(TextOf(applied.body), TextOf(owner.body));
      EXPECT_EQ(applied.revision, owner.revision);
      EXPECT_EQ(applied.commit, owner.commit);
      EXPECT_EQ(applied.content_type, owner.content_type);
      EXPECT_EQ(applied.ticket, (Ticket{3, 1}));
    }
  }
  EXPECT_EQ(Read("over", "least=1").result, Result::kNotFound);
  EXPECT_EQ(Read("over", "least=1").revision, 0u);
  EXPECT_EQ(Read("over", "least=x").result, Result::kType);
  EXPECT_EQ(TextOf(Read("over", "least=0").body), "1");
}

TEST_F(ReaderTest, AnAnswerIsLentAgainUntilAStateChangesThatItReads) {
  const Applied first = Read("total");
  const auto page = [](const Applied& applied) { return applied.body.spans()[0].data(); };
  const Applied second = Read("total");
  const Applied third = Read("total");
  EXPECT_EQ(page(second), page(third));
  (void)Run("other");
  Save();
  const Applied fourth = Read("total");
  EXPECT_EQ(page(fourth), page(third));
  EXPECT_EQ(fourth.revision, first.revision);
  EXPECT_GT(fourth.commit, first.commit);
  (void)Run("hit");
  Save();
  EXPECT_EQ(TextOf(Read("total").body), "1");
  EXPECT_EQ(TextOf(third.body), "0");
  EXPECT_EQ(budget_.retained_bytes(), 1u);
  reader_->StopKeeping();
  EXPECT_EQ(budget_.retained_bytes(), 0u);
}

}  // namespace
}  // namespace pure::executor
