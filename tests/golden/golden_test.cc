// Stores that earlier versions wrote (T16): this one reads and writes them on, and leaves those of
// a format that it does not know untouched.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "runtime/bytes.h"
#include "runtime/result.h"
#include "store/checkpoint_format.h"
#include "store/extent_store.h"
#include "store/format.h"
#include "store/manifest.h"
#include "store/simulated/directory_files.h"
#include "store/simulated/simulated_disk.h"
#include "store/store.h"
#include "store/testing/simulated_store.h"
#include "store/wire.h"
#include "tests/golden/golden_saves.h"
#include "tests/golden/golden_text.h"

namespace pure::store {
namespace {

// Of all released formats.
constexpr const char* kStores[] = {"closed1", "killed1"};

DirectoryFiles Golden(const std::string& name) {
  std::ifstream file(absl::StrCat("tests/golden/", name, ".txt"));
  std::stringstream text;
  text << file.rdbuf();
  return FromGoldenText(text.str());
}

// Of a structure whose last 4 octets are its checksum.
void SetVersion(std::string* file, size_t header_bytes) {
  PutU32(file->data() + 8, 2);
  PutU32(file->data() + header_bytes - 4, Crc(Bytes(*file).substr(0, header_bytes - 4)));
}

class GoldenTest : public SimulatedStoreTest {
 protected:
  void ExpectAll() {
    uint64_t user_keys = 0;
    for (const GoldenValue& golden : GoldenValues()) {
      EXPECT_EQ(Read(golden.key) == absl::StrCat(golden.revision, ":", golden.value), true)
          << golden.key;
      Found found;
      ASSERT_EQ(handle_->Peek(golden.key, &found), Result::kOk);
      EXPECT_EQ(found.present, golden.present) << golden.key;
      user_keys += golden.present && !IsSystemKey(golden.key) ? 1 : 0;
    }
    handle_->DropLook();
    EXPECT_EQ(store_->counters().keys, user_keys);
    VerifyReport report;
    ASSERT_EQ(store_->Verify(&report), absl::OkStatus());
    EXPECT_TRUE(report.damages.empty()) << report.damages[0].what;
  }
  void ExpectReads(const DirectoryFiles& files) {
    SimulatedDisk disk(ImageOf(files));
    ASSERT_EQ(TryOpen(&disk, true), absl::OkStatus());
    ExpectAll();
    Kill();
    EXPECT_EQ(Files(disk) == files, true);
  }
  // Opened again after a kill and after a close, with writes, all background work and a full
  // compaction in between.
  void ExpectWritesOn(const DirectoryFiles& files) {
    SimulatedDisk disk(ImageOf(files));
    for (int opening = 1; opening <= 4; ++opening) {
      ASSERT_EQ(TryOpen(&disk), absl::OkStatus());
      if (opening == 3) {
        ASSERT_EQ(store_->Compact(), absl::OkStatus());
      }
      ASSERT_EQ(Write("new", "of this version"), Result::kOk);
      EXPECT_EQ(Read("new"), absl::StrCat(opening, ":of this version"));
      handle_->DropLook();
      while (store_->DoBackgroundWork()) {
      }
      opening % 2 == 0 ? Close() : Kill();
    }
    ASSERT_EQ(TryOpen(&disk), absl::OkStatus());
    ASSERT_EQ(handle_->StageErase("new", 4), Result::kOk);
    ASSERT_EQ(handle_->Commit(), Result::kOk);
    ExpectAll();
    // What was erased goes on from its revision.
    ASSERT_EQ(Write("erased", "back"), Result::kOk);
    EXPECT_EQ(Read("erased"), "3:back");
    Kill();
  }
  void ExpectRefusedUntouched(const DirectoryFiles& files, const std::string& words) {
    for (const bool read_only : {false, true}) {
      SimulatedDisk disk(ImageOf(files));
      const absl::Status status = TryOpen(&disk, read_only);
      EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
      EXPECT_TRUE(absl::StrContains(status.message(), words)) << status;
      EXPECT_EQ(Files(disk) == files, true);
    }
  }
};

TEST_F(GoldenTest, TheyHoldAllThatAStoreCanHold) {
  for (const std::string name : kStores) {
    const DirectoryFiles files = Golden(name);
    Manifest manifest;
    uint32_t version = 0;
    ASSERT_EQ(DecodeManifest(files.at(kManifestName), &manifest, &version), Decoded::kOk);
    EXPECT_EQ(manifest.clean, name == "closed1");
    EXPECT_NE(manifest.removed_seq, 0u) << "segments were removed";
    EXPECT_NE(manifest.checkpoint.id, 0u) << "there is a checkpoint";
    EXPECT_GE(manifest.segments.size(), 3u);
  }
}

TEST_F(GoldenTest, TheyAreReadUnchangedAndWrittenOn) {
  for (const std::string name : kStores) {
    SCOPED_TRACE(name);
    ExpectReads(Golden(name));
    ExpectWritesOn(Golden(name));
  }
  std::printf("%zu golden stores opened\n", std::size(kStores));
}

// What a later format may look like to this program.
TEST_F(GoldenTest, AFormatThatIsNotKnownIsRefusedUntouched) {
  for (const std::string name : kStores) {
    DirectoryFiles files = Golden(name);
    std::string& manifest = files.at(kManifestName);
    SetVersion(&manifest, manifest.size());
    ExpectRefusedUntouched(files, "the store has format version 2; this program reads version 1");

    files = Golden(name);
    const auto segment = files.rbegin();
    SetVersion(&segment->second, kSegmentHeaderBytes);
    ExpectRefusedUntouched(files, absl::StrCat(segment->first, " has another format version"));
  }
}

TEST_F(GoldenTest, ACheckpointThatIsNotKnownIsDoneWithout) {
  DirectoryFiles files = Golden("closed1");
  const auto checkpoint = std::find_if(files.begin(), files.end(), [](const auto& file) {
    return absl::StartsWith(file.first, "checkpoint-");
  });
  ASSERT_NE(checkpoint, files.end());
  SetVersion(&checkpoint->second, kCheckpointHeaderBytes);
  SimulatedDisk disk(ImageOf(files));
  ASSERT_EQ(TryOpen(&disk), absl::OkStatus());
  for (const GoldenValue& golden : GoldenValues()) {
    EXPECT_EQ(Read(golden.key) == absl::StrCat(golden.revision, ":", golden.value), true);
  }
  Kill();
}

}  // namespace
}  // namespace pure::store
