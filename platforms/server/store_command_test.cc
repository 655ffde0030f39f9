// The verbs of `pure store` over parts that fail as a test wants: exit statuses and progress.

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "modules/states.h"
#include "platforms/server/program.h"
#include "store/memory_store.h"
#include "tests/testing/simulated_clock.h"

namespace pure::server {
namespace {

class StoreCommandTest : public ::testing::Test {
 protected:
  StoreCommandTest() {
    program_.clock = &clock_;
    program_.terminal = [this](Bytes text) { shown_.append(text); };
    program_.open_store = [this](const StoreRequest& request) -> absl::StatusOr<OpenedStore> {
      if (!open_status_.ok()) return open_status_;
      requests_.push_back(request);
      OpenedStore opened;
      opened.store = std::make_unique<store::MemoryStore>();
      prepare_(static_cast<store::MemoryStore*>(opened.store.get()));
      opened.verify = [this](std::vector<std::string>* damages, const ProgressFunction& progress) {
        *damages = damages_;
        Work(progress);
        return absl::OkStatus();
      };
      opened.compact = [this](const ProgressFunction& progress) {
        Work(progress);
        return work_status_;
      };
      return opened;
    };
    program_.copy_store = [this](const CopyRequest& request,
                                 const ProgressFunction& progress) -> absl::StatusOr<CopiedStore> {
      copies_.push_back(request);
      Work(progress);
      if (!work_status_.ok()) return work_status_;
      return CopiedStore{.segments = 2, .frames = 3, .bytes = 12288};
    };
  }

  // Two seconds, half of it done.
  void Work(const ProgressFunction& progress) {
    clock_.AdvanceMs(2000);
    progress(1024, 2048);
  }
  Exit Run(std::vector<const char*> arguments) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const Exit exit = StoreTool(program_, arguments);
    stdout_ = ::testing::internal::GetCapturedStdout();
    stderr_ = ::testing::internal::GetCapturedStderr();
    return exit;
  }

  pure::testing::SimulatedClock clock_;
  Program program_;
  absl::Status open_status_;
  absl::Status work_status_;
  std::vector<std::string> damages_;
  std::function<void(store::MemoryStore*)> prepare_ = [](store::MemoryStore*) {};
  std::vector<StoreRequest> requests_;
  std::vector<CopyRequest> copies_;
  std::string shown_;  // on the terminal
  std::string stdout_;
  std::string stderr_;
};

TEST_F(StoreCommandTest, EachKindOfFailureHasItsExitStatus) {
  work_status_ = absl::UnavailableError("why");
  EXPECT_EQ(Run({"backup", "/a", "/b"}), Exit::kFailed);
  EXPECT_EQ(stderr_, "pure: why\n");
  EXPECT_EQ(Run({"compact", "/a"}), Exit::kFailed);
  work_status_ = absl::DataLossError("why");
  EXPECT_EQ(Run({"restore", "/a", "/b"}), Exit::kDamaged);
  EXPECT_EQ(Run({"compact", "/a"}), Exit::kDamaged);
  work_status_ = absl::AbortedError("why");
  EXPECT_EQ(Run({"backup", "/a", "/b"}), Exit::kSyncFailed);
  EXPECT_EQ(stdout_, "");
  open_status_ = absl::DataLossError("why");
  EXPECT_EQ(Run({"stat", "/a"}), Exit::kDamaged);
  open_status_ = absl::NotFoundError("why");
  EXPECT_EQ(Run({"stat", "/a"}), Exit::kFailed);
}

TEST_F(StoreCommandTest, AFailedSyncOfAPutIsNoPlainFailure) {
  prepare_ = [](store::MemoryStore* store) { store->FailSaves(1, Result::kUncertain); };
  EXPECT_EQ(Run({"put", "/a", "key", "/dev/null"}), Exit::kSyncFailed);
  prepare_ = [](store::MemoryStore* store) { store->FailSaves(1, Result::kFull); };
  EXPECT_EQ(Run({"put", "/a", "key", "/dev/null"}), Exit::kFailed);
  EXPECT_EQ(stderr_, "pure: key: storage_full\n");
}

TEST_F(StoreCommandTest, OnlyWhatWritesOpensForWriting) {
  for (const char* verb : {"stat", "verify", "list", "dump"}) {
    EXPECT_EQ(Run({verb, "/a"}), Exit::kDone) << verb;
    EXPECT_EQ(requests_.back().read_only, true) << verb;
  }
  EXPECT_EQ(Run({"compact", "/a"}), Exit::kDone);
  EXPECT_EQ(requests_.back().read_only, false);
  for (const StoreRequest& request : requests_) EXPECT_EQ(request.create, false);
}

TEST_F(StoreCommandTest, ABackupMayBeOfALiveStoreAndARestoreIsVerified) {
  EXPECT_EQ(Run({"backup", "/a", "/b"}), Exit::kDone);
  EXPECT_EQ(stdout_, "{\"segments\":2,\"frames\":3,\"bytes\":12288}\n");
  EXPECT_EQ(copies_.back().live, true);
  EXPECT_EQ(copies_.back().source + " " + copies_.back().destination, "/a /b");
  EXPECT_EQ(requests_.size(), 0u);
  EXPECT_EQ(Run({"restore", "/a", "/b"}), Exit::kDone);
  EXPECT_EQ(copies_.back().live, false);
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_EQ(requests_[0].directory, "/b");
  EXPECT_EQ(stdout_,
            "{\"segments\":2,\"frames\":3,\"bytes\":12288,\"keys\":0,\"live_bytes\":0,"
            "\"damages\":0}\n");
  damages_ = {"segment 1 offset 2 key k: bad"};
  EXPECT_EQ(Run({"restore", "/a", "/b"}), Exit::kDamaged);
  EXPECT_EQ(stderr_, "segment 1 offset 2 key k: bad\n");
}

TEST_F(StoreCommandTest, LongWorkIsShownOnTheTerminalAndTakenAway) {
  const std::vector<std::vector<const char*>> commands = {
      {"verify", "/a"}, {"compact", "/a"}, {"backup", "/a", "/b"}};
  for (const std::vector<const char*>& command : commands) {
    shown_.clear();
    EXPECT_EQ(Run(command), Exit::kDone);
    EXPECT_EQ(shown_, std::string("\r\x1b[K") + command[0] +
                          "  50 %  1.0 KiB of 2.0 KiB  512 B/s  2 s left\r\x1b[K");
    EXPECT_EQ(stderr_, "");
  }
}

TEST_F(StoreCommandTest, WhatTheProgramKeepsForItselfIsNoDocument) {
  prepare_ = [](store::MemoryStore* store) {
    const std::unique_ptr<store::StoreHandle> handle = store->NewHandle();
    handle->TakeLook();
    EXPECT_EQ(handle->Stage(modules::kModuleKey, 0, {Bytes("module m 1\n")}), Result::kOk);
    EXPECT_EQ(handle->Commit(), Result::kOk);
  };
  EXPECT_EQ(Run({"list", "/a"}), Exit::kDone);
  EXPECT_EQ(stdout_, "");
  EXPECT_EQ(Run({"dump", "/a"}), Exit::kDone);
  EXPECT_EQ(stdout_, "");
  EXPECT_EQ(Run({"module", "/a"}), Exit::kDone);
  EXPECT_EQ(stdout_, "module m 1\n");
  EXPECT_EQ(Run({"stat", "/a"}), Exit::kDone);
  EXPECT_EQ(stdout_.substr(0, 10), "{\"keys\":0,");
}

}  // namespace
}  // namespace pure::server
