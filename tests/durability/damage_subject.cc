#include "tests/durability/damage_subject.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "runtime/check.h"
#include "store/format.h"
#include "store/manifest.h"
#include "store/simulated/simulated_disk.h"
#include "tests/testing/seeded_entropy.h"

namespace pure::durability {
namespace {

using store::kBlockBytes;
using store::kSegmentHeaderBytes;

// Makes the saves, and keeps what the store holds after them.
class Maker {
 public:
  explicit Maker(uint64_t segment_bytes) {
    subject_.segment_bytes = segment_bytes;
    Open();
  }

  void Write(const std::string& key, size_t value_bytes) {
    std::string value(value_bytes, '\0');
    // No two sectors alike, so that a wrong one can not pass for the right one.
    for (char& octet : value) octet = static_cast<char>(random_.Next());
    const Bytes piece = value;
    Stage(key, absl::MakeConstSpan(&piece, 1));
    state_[key] = {state_[key].revision + 1, true, std::move(value)};
    Commit();
  }

  // The second half of the old value, shared with it, and then something new.
  void Splice(const std::string& key, const std::string& more) {
    handle_->TakeLook();
    store::Found found;
    PURE_CHECK(handle_->FindToStage(key, &found) == Result::kOk, "the value is there");
    const size_t half = found.size_bytes / 2;
    const Bytes pieces[] = {found.value.spans()[0].substr(half), more};
    Stage(key, pieces);
    KeyState& state = state_[key];
    state = {state.revision + 1, true, state.value.substr(half) + more};
    Commit();
  }

  void Erase(const std::string& key) {
    PURE_CHECK(handle_->StageErase(key, state_[key].revision) == Result::kOk, "it stages");
    state_[key] = {state_[key].revision + 1, false, ""};
    Commit();
  }

  void Finish() {
    while (store_->DoBackgroundWork()) {
    }
  }
  void ForgetMomentBefore() { subject_.moments.erase(subject_.moments.end() - 2); }
  void Restart(LastEnd end) {
    End(end);
    Open();
  }
  DamageSubject Take(LastEnd end) {
    End(end);
    subject_.end = end;
    // Rot comes long after the last write.
    subject_.image = store::ImageOf(store::FilesOf(disk_.KillImage()));
    return std::move(subject_);
  }

 private:
  void Open() {
    auto opened = store::ExtentStore::Open(disk_.OpenDirectory(), OptionsOf(subject_, &entropy_));
    PURE_CHECK(opened.ok(), "nothing was damaged yet");
    store_ = *std::move(opened);
    handle_ = store_->NewHandle();
  }
  void End(LastEnd end) {
    if (end == LastEnd::kClosed) PURE_CHECK(store_->Close().ok(), "it closes");
    handle_.reset();
    store_.reset();
  }
  void Stage(const std::string& key, absl::Span<const Bytes> pieces) {
    PURE_CHECK(handle_->Stage(key, state_[key].revision, pieces) == Result::kOk, "it stages");
  }
  void Commit() {
    PURE_CHECK(handle_->Commit() == Result::kOk, "it commits");
    subject_.moments.push_back({disk_.KillImage(), state_});
  }

  store::SimulatedDisk disk_{store::SimulatedDiskOptions{.keep_journal = false}};
  pure::testing::SeededEntropy entropy_{21};
  pure::testing::SeededEntropy random_{22};
  DamageSubject subject_;
  State state_;
  std::unique_ptr<store::ExtentStore> store_;
  std::unique_ptr<store::StoreHandle> handle_;
};

bool HoldsFrame(const store::SegmentHeader& segment, Bytes content, uint64_t offset,
                store::FrameHeader* frame) {
  return DecodeFrameHeader(content.substr(offset, store::kFrameHeaderBytes), frame) ==
             store::Decoded::kOk &&
         frame->segment == segment.id && frame->offset == offset && frame->salt == segment.salt;
}

}  // namespace

DamageSubject SmallSubject(LastEnd end) {
  Maker maker(16u << 10);
  maker.Write("empty", 0);
  maker.Write("a", 20);
  maker.Finish();
  maker.Write("spliced", 5000);
  maker.Write("erased", 700);
  maker.Restart(LastEnd::kClosed);
  maker.Erase("erased");
  maker.Finish();
  maker.Write("a", 2500);
  maker.Restart(LastEnd::kKilled);
  maker.Splice("spliced", "and more");
  maker.Finish();
  maker.Write("c", 3000);
  maker.Write("d", 3000);
  maker.Finish();
  maker.Write("b", 300);
  maker.Write("a", 1000);
  return maker.Take(end);
}

DamageSubject LargeSubject(LastEnd end) {
  Maker maker(1u << 20);
  constexpr int kSaves = 395;
  for (int i = 0; i < kSaves; ++i) {
    // Most values stay; some are replaced.
    maker.Write(absl::StrCat("key", i % 300), 20000 + i % 7 * 6000);
    if (i % 5 == 0) maker.Finish();
    if (i % 100 != 1 && i > 0 && i < kSaves - 5) maker.ForgetMomentBefore();
    if (i == 250) maker.Restart(LastEnd::kClosed);
  }
  return maker.Take(end);
}

NewestFrame NewestFrameOf(const store::DirectoryFiles& files) {
  store::Manifest manifest;
  uint32_t version = 0;
  PURE_CHECK(
      DecodeManifest(files.at(store::kManifestName), &manifest, &version) == store::Decoded::kOk,
      "the manifest is whole");
  NewestFrame newest;
  uint64_t newest_seq = 0;
  for (const store::ManifestSegment& record : manifest.segments) {
    char buffer[store::kSegmentNameBytes];
    const std::string name(store::SegmentName(record.id, buffer));
    const Bytes content = files.at(name);
    store::SegmentHeader segment;
    PURE_CHECK(DecodeSegmentHeader(content.substr(0, kSegmentHeaderBytes), &segment) ==
                   store::Decoded::kOk,
               "the segment is whole");
    for (uint64_t offset = kSegmentHeaderBytes; offset < content.size(); offset += kBlockBytes) {
      store::FrameHeader frame;
      if (!HoldsFrame(segment, content, offset, &frame) || frame.seq <= newest_seq) continue;
      newest_seq = frame.seq;
      newest = {.file = name,
                .begin = offset,
                .end = offset + frame.frame_bytes,
                .is_sealed = offset < record.end_bytes};
    }
  }
  return newest;
}

store::ExtentStoreOptions OptionsOf(const DamageSubject& subject, Entropy* entropy) {
  return {.segment_bytes = subject.segment_bytes,
          .first_segment_bytes = subject.segment_bytes,
          .checkpoint_after_bytes = subject.segment_bytes / 4,
          .save_bytes_max = 1u << 20,
          .entropy = entropy};
}

}  // namespace pure::durability
