// What a store keeps of its module, and which module may go on with it.

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "modules/module.h"
#include "modules/states.h"
#include "runtime/bytes.h"
#include "runtime/key.h"
#include "runtime/result.h"
#include "store/memory_store.h"

namespace pure::modules {
namespace {

constexpr char kDocuments[] = R"(module docs 1
document object(key: slug(64)): text(..100)
  message show { reply value else not_found }
)";
constexpr char kCounter[] = R"(module counter 1
state hits: int = 5
view total as json { reply hits }
)";

class StatesOpenTest : public ::testing::Test {
 protected:
  absl::Status Open(const std::string& text) {
    states_.reset();
    return States::Open(*Loaded(text), text, &store_, &states_);
  }
  absl::Status Check(const std::string& text) {
    return States::CheckCarried(*Loaded(text), &store_);
  }
  std::string KeptText() {
    const std::unique_ptr<store::StoreHandle> handle = store_.NewHandle();
    handle->TakeLook();
    store::Found found;
    EXPECT_EQ(handle->Find(kModuleKey, &found), Result::kOk);
    std::string text;
    for (const Bytes span : found.value.spans()) text.append(span);
    return text;
  }
  void Put(Bytes key) {
    const std::unique_ptr<store::StoreHandle> handle = store_.NewHandle();
    handle->TakeLook();
    ASSERT_EQ(handle->Stage(key, 0, {Bytes("x")}), Result::kOk);
    ASSERT_EQ(handle->Commit(), Result::kOk);
  }
  // Refused with this in the error, and nothing written.
  void ExpectRefused(const std::string& text, const std::string& what) {
    const uint64_t saves = store_.counters().commit_groups;
    for (const absl::Status& status : {Check(text), Open(text)}) {
      EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
      EXPECT_NE(status.message().find(what), std::string::npos) << status;
    }
    EXPECT_EQ(store_.counters().commit_groups, saves);
  }

  store::MemoryStore store_;
  std::unique_ptr<States> states_;

 private:
  const Module* Loaded(const std::string& text) {
    std::vector<Error> errors;
    modules_.push_back(Module::Load(text, &errors));
    EXPECT_NE(modules_.back(), nullptr) << FormatErrors("test.pure", text, errors);
    return modules_.back().get();
  }
  std::vector<std::unique_ptr<const Module>> modules_;
};

TEST_F(StatesOpenTest, TheTextIsKeptOnce) {
  EXPECT_EQ(Open(kDocuments), absl::OkStatus());
  EXPECT_EQ(KeptText(), kDocuments);
  EXPECT_EQ(store_.counters().keys, 0u) << "it is no document";
  const uint64_t saves = store_.counters().commit_groups;
  EXPECT_EQ(Open(kDocuments), absl::OkStatus());
  EXPECT_EQ(store_.counters().commit_groups, saves);
  EXPECT_EQ(Open(std::string(kDocuments) + "// new\n"), absl::OkStatus());
  EXPECT_EQ(KeptText(), std::string(kDocuments) + "// new\n");
}

TEST_F(StatesOpenTest, ItsKeyIsNoDocuments) {
  EXPECT_TRUE(store::IsSystemKey(kModuleKey));
  EXPECT_FALSE(IsKey(kModuleKey));
}

TEST_F(StatesOpenTest, WhenItCanNotBeSavedTheOldOneStays) {
  ASSERT_EQ(Open(kDocuments), absl::OkStatus());
  for (const Result failure : {Result::kFull, Result::kUncertain}) {
    store_.FailSaves(1, failure);
    EXPECT_FALSE(Open(kCounter).ok());
    EXPECT_EQ(states_, nullptr);
    EXPECT_EQ(KeptText(), kDocuments);
  }
}

TEST_F(StatesOpenTest, ADamagedTextIsReplacedWhereNoStatesAre) {
  ASSERT_EQ(Open(kDocuments), absl::OkStatus());
  store_.Damage(kModuleKey);
  EXPECT_EQ(Open(kCounter).code(), absl::StatusCode::kDataLoss);
  const uint64_t saves = store_.counters().commit_groups;
  EXPECT_EQ(Open(kDocuments), absl::OkStatus());
  EXPECT_EQ(store_.counters().commit_groups, saves + 1);
}

TEST_F(StatesOpenTest, ADamagedTextIsDamageWhereStatesAre) {
  ASSERT_EQ(Open(kCounter), absl::OkStatus());
  store_.Damage(kModuleKey);
  EXPECT_EQ(Open(kDocuments).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Open(kCounter).code(), absl::StatusCode::kDataLoss);
}

TEST_F(StatesOpenTest, StatesAreNotLostToAModuleWithoutThem) {
  ASSERT_EQ(Open(kCounter), absl::OkStatus());
  ExpectRefused(kDocuments, "\n  state hits: it is gone");
  ExpectRefused("module counter 2\nstate hits: text(..9) = \"\"\nview total { reply hits }\n",
                "\n  state hits: it was int and is text(..9)");
  EXPECT_EQ(Check(kCounter), absl::OkStatus());
  EXPECT_EQ(
      Open("module counter 2\nstate hits: int?\nstate more: int = 1\nview v { reply more }\n"),
      absl::OkStatus());
}

TEST_F(StatesOpenTest, DocumentsAreNotLostToAnotherType) {
  ASSERT_EQ(Open(kDocuments), absl::OkStatus());
  EXPECT_EQ(Check(kCounter), absl::OkStatus()) << "there are none";
  Put("a");
  ExpectRefused(kCounter, "\n  document object: it is gone");
  const std::string message = "\n  message show { reply value else not_found }\n";
  ExpectRefused("module docs 2\ndocument object(key: slug(64)): text(..99)" + message,
                "\n  document object: it was text(..100) under keys of slug(64) and is text(..99)");
  ExpectRefused("module docs 2\ndocument object(key: slug(63)): text(..100)" + message, "slug(63)");
  EXPECT_EQ(Open("module docs 2\ndocument note(key: slug(64)): bytes(..100)" + message),
            absl::OkStatus());
  ExpectRefused(kDocuments, "\n  document note: it was bytes(..100)");
}

TEST_F(StatesOpenTest, AStoreOfAnUnknownModuleIsRefused) {
  Put(kModuleKey);
  ExpectRefused(kDocuments, "can not read");
}

}  // namespace
}  // namespace pure::modules
