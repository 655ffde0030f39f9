#include "store/manifest.h"

#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "store/simulated/simulated_disk.h"

namespace pure::store {
namespace {

Manifest AnyManifest() {
  Manifest manifest{.uuid = {1, 2},
                    .epoch = 3,
                    .next_segment = 20,
                    .clean = true,
                    .removed_seq = 12,
                    .removed_chain = 13,
                    .checkpoint = {.id = 14, .size_bytes = 15, .covers_seq = 16}};
  manifest.segments.push_back({.id = 4,
                               .length_bytes = 65536,
                               .salt = 5,
                               .end_bytes = 8192,
                               .base_seq = 6,
                               .base_chain = 7,
                               .last_seq = 8,
                               .last_chain = 9,
                               .sealed = true});
  manifest.segments.push_back({.id = 10, .length_bytes = 32768, .salt = 11});
  return manifest;
}

TEST(ManifestTest, ComesBack) {
  Manifest read;
  uint32_t version = 0;
  ASSERT_EQ(DecodeManifest(EncodeManifest(AnyManifest()), &read, &version), Decoded::kOk);
  EXPECT_EQ(version, kFormatVersion);
  EXPECT_EQ(read.uuid, (StoreUuid{1, 2}));
  EXPECT_EQ(read.epoch, 3u);
  EXPECT_EQ(read.next_segment, 20u);
  EXPECT_TRUE(read.clean);
  EXPECT_EQ(read.removed_seq, 12u);
  EXPECT_EQ(read.removed_chain, 13u);
  EXPECT_EQ(read.checkpoint.id, 14u);
  EXPECT_EQ(read.checkpoint.size_bytes, 15u);
  EXPECT_EQ(read.checkpoint.covers_seq, 16u);
  ASSERT_EQ(read.segments.size(), 2u);
  EXPECT_EQ(read.segments[0].id, 4u);
  EXPECT_EQ(read.segments[0].length_bytes, 65536u);
  EXPECT_EQ(read.segments[0].salt, 5u);
  EXPECT_EQ(read.segments[0].end_bytes, 8192u);
  EXPECT_EQ(read.segments[0].base_seq, 6u);
  EXPECT_EQ(read.segments[0].base_chain, 7u);
  EXPECT_EQ(read.segments[0].last_seq, 8u);
  EXPECT_EQ(read.segments[0].last_chain, 9u);
  EXPECT_TRUE(read.segments[0].sealed);
  EXPECT_FALSE(read.segments[1].sealed);
  EXPECT_FALSE(read.segments[1].has_frames());
}

TEST(ManifestTest, AnyBitFlippedOrAnyCutIsRefused) {
  const std::string bytes = EncodeManifest(AnyManifest());
  Manifest read;
  uint32_t version = 0;
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    ASSERT_EQ(DecodeManifest(flipped, &read, &version), Decoded::kBad) << bit;
  }
  for (size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_EQ(DecodeManifest(Bytes(bytes).substr(0, size), &read, &version), Decoded::kBad) << size;
  }
}

TEST(ManifestTest, SoundChecksumsOverNonsenseAreRefused) {
  Manifest read;
  uint32_t version = 0;
  for (int what = 0; what < 6; ++what) {
    Manifest manifest = AnyManifest();
    ManifestSegment* segment = &manifest.segments[0];
    if (what == 0) segment->end_bytes = segment->length_bytes + 4096;
    if (what == 1) segment->end_bytes = 0;
    if (what == 2) segment->id = 20;  // never given out
    if (what == 3) segment->length_bytes = 65537;
    if (what == 4) manifest.next_segment = ~uint64_t{0};  // the next ones would begin at 0 again
    if (what == 5) manifest = {.next_segment = 0};
    EXPECT_EQ(DecodeManifest(EncodeManifest(manifest), &read, &version), Decoded::kBad) << what;
  }
}

TEST(ManifestTest, IsReplacedAsAWholeAndALeftoverIsNoHindrance) {
  SimulatedDisk disk;
  const auto directory = disk.OpenDirectory();
  Manifest read;
  EXPECT_EQ(ReadManifest(directory.get(), &read).code(), absl::StatusCode::kNotFound);
  Manifest manifest = AnyManifest();
  for (uint64_t epoch : {1, 2}) {
    std::unique_ptr<File> leftover;
    ASSERT_EQ(directory->Create(kManifestNewName, &leftover), IoError::kNone);
    manifest.epoch = epoch;
    ASSERT_FALSE(WriteManifest(directory.get(), manifest));
    ASSERT_TRUE(ReadManifest(directory.get(), &read).ok());
    EXPECT_EQ(read.epoch, epoch);
  }
  EXPECT_EQ(disk.Names(), std::vector<std::string>({"MANIFEST"}));
}

TEST(ManifestTest, WhatWasReservedIsEnoughOnAFullDisk) {
  SimulatedDisk disk;
  const auto directory = disk.OpenDirectory();
  Manifest manifest = AnyManifest();
  for (size_t segments : {2, 49, 50, 51}) {  // one block holds 49
    manifest.segments.resize(segments, manifest.segments[0]);
    disk.SetCapacity(std::numeric_limits<uint64_t>::max());
    ASSERT_FALSE(WriteManifest(directory.get(), manifest));
    disk.SetCapacity(disk.used_bytes());
    EXPECT_EQ(WriteManifest(directory.get(), manifest).error, IoError::kNoSpace);
    disk.SetCapacity(disk.used_bytes() + 8192);
    std::unique_ptr<File> reserved = ReserveManifest(directory.get(), manifest);
    ASSERT_NE(reserved, nullptr);
    disk.SetCapacity(disk.used_bytes());
    manifest.segments.push_back(manifest.segments[0]);
    EXPECT_FALSE(WriteManifest(directory.get(), manifest, std::move(reserved))) << segments;
    Manifest read;
    ASSERT_TRUE(ReadManifest(directory.get(), &read).ok());
    EXPECT_EQ(read.segments.size(), segments + 1);
  }
}

TEST(ManifestTest, NothingOfALongLeftoverComesThrough) {
  SimulatedDisk disk;
  const auto directory = disk.OpenDirectory();
  {
    std::unique_ptr<File> leftover;
    ASSERT_EQ(directory->Create(kManifestNewName, &leftover), IoError::kNone);
    const std::string garbage(9000, 'x');
    const Bytes spans[] = {garbage};
    uint64_t written_bytes = 0;
    ASSERT_EQ(leftover->Write(0, spans, &written_bytes), IoError::kNone);
  }
  ASSERT_FALSE(WriteManifest(directory.get(), AnyManifest()));
  EXPECT_EQ(disk.Content(kManifestName), EncodeManifest(AnyManifest()));
  Manifest read;
  EXPECT_TRUE(ReadManifest(directory.get(), &read).ok());
}

}  // namespace
}  // namespace pure::store
