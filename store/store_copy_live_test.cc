// Copies while the store that is copied is written: what was acknowledged before is there, and
// nothing is torn, wherever in the copy the writes come.

#include <functional>
#include <string>
#include <utility>

#include "store/testing/store_copy_test_base.h"

namespace pure::store {
namespace {

// Called before each call that reads the source.
using Hook = std::function<void()>;

class HookedFile final : public File {
 public:
  HookedFile(std::unique_ptr<File> file, const Hook* hook) : file_(std::move(file)), hook_(hook) {}

  IoError Size(uint64_t* size_bytes) const override {
    (*hook_)();
    return file_->Size(size_bytes);
  }
  IoError Read(uint64_t offset, MutableBytes into) const override {
    (*hook_)();
    return file_->Read(offset, into);
  }
  IoError Write(uint64_t, absl::Span<const Bytes>, uint64_t*) override { return IoError::kRefused; }
  IoError Sync() override { return IoError::kRefused; }
  IoError Allocate(uint64_t) override { return IoError::kRefused; }
  IoError Map(uint64_t size_bytes, std::unique_ptr<Mapping>* mapping) override {
    (*hook_)();
    return file_->Map(size_bytes, mapping);
  }

 private:
  const std::unique_ptr<File> file_;
  const Hook* const hook_;
};

// A directory that may only be read, with a hook before each call.
class HookedDirectory final : public Directory {
 public:
  HookedDirectory(std::unique_ptr<Directory> directory, Hook hook)
      : directory_(std::move(directory)), hook_(std::move(hook)) {}

  IoError List(std::vector<std::string>* names) override {
    hook_();
    return directory_->List(names);
  }
  IoError Open(const std::string& name, bool writable, std::unique_ptr<File>* file) override {
    if (writable) return IoError::kRefused;
    hook_();
    std::unique_ptr<File> opened;
    const IoError error = directory_->Open(name, false, &opened);
    if (error == IoError::kNone) *file = std::make_unique<HookedFile>(std::move(opened), &hook_);
    return error;
  }
  IoError Create(const std::string&, std::unique_ptr<File>*) override { return IoError::kRefused; }
  IoError Rename(const std::string&, const std::string&) override { return IoError::kRefused; }
  IoError Remove(const std::string&) override { return IoError::kRefused; }
  IoError Sync() override { return IoError::kRefused; }
  IoError Lock(int, std::unique_ptr<DirectoryLock>*) override { return IoError::kRefused; }

 private:
  const std::unique_ptr<Directory> directory_;
  const Hook hook_;
};

class LiveCopyTest : public StoreCopyTest {
 protected:
  // Another store, on the emptied disk.
  void StartAnew() {
    Kill();
    for (const std::string& name : disk_.Names()) {
      ASSERT_EQ(disk_.OpenDirectory()->Remove(name), IoError::kNone);
    }
    Open();
    written_ = 0;
  }
  // Copies with `act` before the `at`th call that reads the source, and before every later one when
  // `for_ever`. False: there are not so many calls.
  bool CopyWith(int at, bool for_ever, const std::function<void()>& act, SimulatedDisk* to) {
    int calls = 0;
    HookedDirectory source(disk_.OpenDirectory(), [&] {
      const int call = calls++;
      if (call == at || (for_ever && call > at)) act();
    });
    EXPECT_EQ(Copy(&source, to), absl::OkStatus()) << "call " << at;
    return calls > at;
  }
  void WriteSome(int count) {
    for (int i = 0; i < count; ++i, ++written_) {
      ASSERT_EQ(Write("key" + std::to_string(written_ % 7), Value(written_)), Result::kOk);
      while (store_->DoBackgroundWork()) {
      }
    }
  }
  // Every key is there, at the revision of `before` or a later one, with the value of it.
  void ExpectHolds(const SimulatedDisk& to, const Contents& before, int at) {
    Contents contents;
    ASSERT_EQ(OpenWhole(to, &contents), absl::OkStatus()) << "call " << at;
    const Contents now = ContentsOf(store_.get());
    for (const auto& [key, value] : before) {
      const std::string& copied = contents[key];
      EXPECT_GE(std::stoi(copied), std::stoi(value)) << key << ", call " << at;
      EXPECT_LE(std::stoi(copied), std::stoi(now.at(key))) << key << ", call " << at;
      if (std::stoi(copied) == std::stoi(value)) {
        EXPECT_EQ(copied == value, true) << key << ", call " << at;
      }
      if (std::stoi(copied) == std::stoi(now.at(key))) {
        EXPECT_EQ(copied == now.at(key), true) << key << ", call " << at;
      }
    }
  }

  int written_ = 0;
};

TEST_F(LiveCopyTest, WritesAtAnyMomentOfACopyDoNoHarm) {
  bool more = true;
  for (int at = 0; more; ++at) {
    StartAnew();
    WriteSome(9);
    const Contents before = ContentsOf(store_.get());
    SimulatedDisk to;
    more = CopyWith(
        at, false, [this] { WriteSome(2); }, &to);
    ExpectHolds(to, before, at);
    if (HasFatalFailure()) return;
  }
}

TEST_F(LiveCopyTest, WritesAtEveryMomentOfACopyDoNoHarm) {
  options_.segment_bytes = 1u << 20;
  Open();
  WriteSome(3);
  const Contents before = ContentsOf(store_.get());
  SimulatedDisk to;
  EXPECT_EQ(CopyWith(
                0, true, [this] { WriteSome(1); }, &to),
            true);
  ExpectHolds(to, before, 0);
}

TEST_F(LiveCopyTest, ARestartThatReplacesSegmentsAtAnyMomentDoesNoHarm) {
  bool more = true;
  for (int at = 0; more; ++at) {
    StartAnew();
    WriteSome(5);
    const Contents before = ContentsOf(store_.get());
    SimulatedDisk to;
    // What was not sealed is copied into another segment, and the old ones are removed.
    more = CopyWith(
        at, false,
        [this] {
          Kill();
          Open();
        },
        &to);
    ExpectHolds(to, before, at);
    if (HasFatalFailure()) return;
  }
}

// The frame is read before it is written, and those behind it afterwards: it looks torn, and the
// later one sound. Longer than what is read at once, so that they are read apart.
TEST_F(LiveCopyTest, AFrameThatWasWrittenMeanwhileIsNotTakenForDamage) {
  options_.segment_bytes = options_.first_segment_bytes = 1u << 20;
  const std::string large(100'000, 'x');
  bool more = true;
  int copies = 0;
  for (int at = 0; more; ++at, ++copies) {
    StartAnew();
    ASSERT_EQ(Write("a", "first"), Result::kOk);
    SimulatedDisk to;
    more = CopyWith(
        at, false,
        [&] {
          ASSERT_EQ(Write("b", large), Result::kOk);
          ASSERT_EQ(Write("c", large), Result::kOk);
        },
        &to);
    Contents contents;
    ASSERT_EQ(OpenWhole(to, &contents), absl::OkStatus()) << at;
    EXPECT_EQ(contents["a"], "1:first");
    EXPECT_EQ(contents.count("c") <= contents.count("b"), true);
  }
  EXPECT_GT(copies, 10);
}

}  // namespace
}  // namespace pure::store
