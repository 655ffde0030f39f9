#include "store/format.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "store/wire.h"
#include "tests/testing/seeded_entropy.h"

namespace pure::store {
namespace {

const StoreUuid kUuid{0x0123456789abcdef, 0xfedcba9876543210};

std::string SegmentHeaderBytesOf(const SegmentHeader& header) {
  std::string block(kSegmentHeaderBytes, '?');
  EncodeSegmentHeader(header, absl::MakeSpan(block));
  return block;
}

SegmentHeader AnySegmentHeader() {
  return {.uuid = kUuid, .id = 7, .predecessor = 6, .salt = 99, .length_bytes = 1u << 20};
}

FrameHeader AnyFrameHeader() {
  return {.salt = 1,
          .seq = 2,
          .segment = 3,
          .offset = 8192,
          .frame_bytes = 8192,
          .payload_bytes = 5000,
          .previous_chain = 6,
          .entry_count = 2,
          .entries_bytes = 100,
          .entries_crc = 7};
}

std::string FrameHeaderBytesOf(FrameHeader header) {
  std::string bytes(kFrameHeaderBytes, '?');
  EncodeFrameHeader(&header, absl::MakeSpan(bytes));
  return bytes;
}

TEST(FormatTest, ASegmentHeaderComesBack) {
  for (bool repair : {false, true}) {
    SegmentHeader header = AnySegmentHeader();
    header.repair = repair;
    SegmentHeader read;
    ASSERT_EQ(DecodeSegmentHeader(SegmentHeaderBytesOf(header), &read), Decoded::kOk);
    EXPECT_EQ(read.uuid, kUuid);
    EXPECT_EQ(read.id, 7u);
    EXPECT_EQ(read.predecessor, 6u);
    EXPECT_EQ(read.salt, 99u);
    EXPECT_EQ(read.length_bytes, 1u << 20);
    EXPECT_EQ(read.repair, repair);
  }
}

TEST(FormatTest, ASegmentHeaderWithAnyBitFlippedIsRefused) {
  const std::string block = SegmentHeaderBytesOf(AnySegmentHeader());
  for (size_t bit = 0; bit < block.size() * 8; ++bit) {
    std::string flipped = block;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    SegmentHeader read;
    ASSERT_NE(DecodeSegmentHeader(flipped, &read), Decoded::kOk) << bit;
  }
}

TEST(FormatTest, ASegmentHeaderOfAnotherVersionIsToldApart) {
  std::string block = SegmentHeaderBytesOf(AnySegmentHeader());
  block[8] = 9;
  PutU32(block.data() + kSegmentHeaderBytes - 4,
         Crc(Bytes(block).substr(0, kSegmentHeaderBytes - 4)));
  SegmentHeader read;
  EXPECT_EQ(DecodeSegmentHeader(block, &read), Decoded::kVersion);
}

TEST(FormatTest, AFrameHeaderComesBack) {
  FrameHeader read;
  ASSERT_EQ(DecodeFrameHeader(FrameHeaderBytesOf(AnyFrameHeader()), &read), Decoded::kOk);
  EXPECT_EQ(read.salt, 1u);
  EXPECT_EQ(read.seq, 2u);
  EXPECT_EQ(read.segment, 3u);
  EXPECT_EQ(read.offset, 8192u);
  EXPECT_EQ(read.frame_bytes, 8192u);
  EXPECT_EQ(read.payload_bytes, 5000u);
  EXPECT_EQ(read.previous_chain, 6u);
  EXPECT_EQ(read.entry_count, 2u);
  EXPECT_EQ(read.entries_bytes, 100u);
  EXPECT_EQ(read.entries_crc, 7u);
  EXPECT_EQ(read.payload_offset(), 8192u + 96 + 100);
}

TEST(FormatTest, AFrameHeaderWithAnyBitFlippedIsRefused) {
  const std::string bytes = FrameHeaderBytesOf(AnyFrameHeader());
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    FrameHeader read;
    ASSERT_NE(DecodeFrameHeader(flipped, &read), Decoded::kOk) << bit;
  }
}

TEST(FormatTest, AFrameHeaderWhoseSizesDisagreeIsRefusedThoughItsChecksumHolds) {
  FrameHeader read;
  FrameHeader header = AnyFrameHeader();
  header.frame_bytes = 4096;
  EXPECT_EQ(DecodeFrameHeader(FrameHeaderBytesOf(header), &read), Decoded::kBad);
  header = AnyFrameHeader();
  header.payload_bytes = ~uint64_t{0} - 50;
  header.frame_bytes = FrameBytes(header.entries_bytes, header.payload_bytes);
  EXPECT_EQ(DecodeFrameHeader(FrameHeaderBytesOf(header), &read), Decoded::kBad);
  header = AnyFrameHeader();
  header.offset = 100;
  EXPECT_EQ(DecodeFrameHeader(FrameHeaderBytesOf(header), &read), Decoded::kBad);
}

TEST(FormatTest, TheChainHashNamesTheWholePast) {
  FrameHeader one = AnyFrameHeader();
  FrameHeader two = AnyFrameHeader();
  two.previous_chain += 1;
  std::string bytes(kFrameHeaderBytes, '?');
  EncodeFrameHeader(&one, absl::MakeSpan(bytes));
  EncodeFrameHeader(&two, absl::MakeSpan(bytes));
  EXPECT_NE(one.chain(), two.chain());
}

TEST(FormatTest, AFooterFitsItsOwnHeaderOnly) {
  FrameHeader header = AnyFrameHeader();
  std::string unused(kFrameHeaderBytes, '?');
  EncodeFrameHeader(&header, absl::MakeSpan(unused));
  std::string footer(kFrameFooterBytes, '?');
  EncodeFrameFooter(header, absl::MakeSpan(footer));
  EXPECT_TRUE(FooterMatches(header, footer));
  for (size_t i = 0; i < footer.size(); ++i) {
    std::string flipped = footer;
    flipped[i] = static_cast<char>(flipped[i] ^ 1);
    EXPECT_FALSE(FooterMatches(header, flipped)) << i;
  }
  EXPECT_FALSE(FooterMatches(header, Bytes(footer).substr(1)));
}

TEST(FormatTest, FramesFillWholeBlocks) {
  EXPECT_EQ(FrameBytes(0, 0), 4096u);
  EXPECT_EQ(FrameBytes(0, 4096 - 96 - 32), 4096u);
  EXPECT_EQ(FrameBytes(0, 4096 - 96 - 32 + 1), 8192u);
}

std::string TwoEntries() {
  std::string bytes(200, '\0');
  const DiskExtent extents[] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  size_t size = EncodeEntry("key", EntryKind::kWrite, 42, extents, absl::MakeSpan(bytes));
  size += EncodeEntry("x", EntryKind::kErase, 43, {}, absl::MakeSpan(bytes).subspan(size));
  bytes.resize(size);
  return bytes;
}

TEST(FormatTest, EntriesComeBack) {
  const std::string bytes = TwoEntries();
  EXPECT_EQ(bytes.size(), EntryBytes(3, 2) + EntryBytes(1, 0));
  EntryReader reader(bytes, 2);
  EntryView entry;
  ASSERT_TRUE(reader.Next(&entry));
  EXPECT_EQ(entry.key, "key");
  EXPECT_EQ(entry.kind, EntryKind::kWrite);
  EXPECT_EQ(entry.revision, 42u);
  ASSERT_EQ(entry.extent_count, 2u);
  EXPECT_EQ(entry.extent(1).segment, 5u);
  EXPECT_EQ(entry.extent(1).offset, 6u);
  EXPECT_EQ(entry.extent(1).length, 7u);
  EXPECT_EQ(entry.extent(1).checksum, 8u);
  ASSERT_TRUE(reader.Next(&entry));
  EXPECT_EQ(entry.key, "x");
  EXPECT_EQ(entry.kind, EntryKind::kErase);
  EXPECT_FALSE(reader.Next(&entry));
  EXPECT_TRUE(reader.complete());
}

TEST(FormatTest, EntriesThatAreCutOrTooManyAreIncomplete) {
  const std::string bytes = TwoEntries();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EntryReader reader(Bytes(bytes).substr(0, size), 2);
    for (EntryView entry; reader.Next(&entry);) {
    }
    EXPECT_FALSE(reader.complete()) << size;
  }
  for (uint32_t count : {1, 3}) {
    EntryReader reader(bytes, count);
    for (EntryView entry; reader.Next(&entry);) {
    }
    EXPECT_FALSE(reader.complete()) << count;
  }
}

TEST(FormatTest, AnEntryWithARevisionThatNobodyGivesIsRefused) {
  for (const auto& [revision, sound] : {std::pair<uint64_t, bool>(0, false),
                                        {1, true},
                                        {kRevisionMax, true},
                                        {kRevisionMax + 1, false}}) {
    std::string bytes(EntryBytes(1, 0), '\0');
    EncodeEntry("x", EntryKind::kErase, revision, {}, absl::MakeSpan(bytes));
    EntryReader reader(bytes, 1);
    EntryView entry;
    EXPECT_EQ(reader.Next(&entry), sound) << revision;
  }
}

TEST(FormatTest, AnyBytesAreReadWithoutHarm) {
  pure::testing::SeededEntropy random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = TwoEntries();
    for (uint64_t flips = random.Below(8); flips > 0; --flips) {
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Next());
    }
    bytes.resize(random.Below(bytes.size() + 1));
    EntryReader reader(bytes, static_cast<uint32_t>(random.Below(5)));
    uint64_t sum = 0;
    for (EntryView entry; reader.Next(&entry);) {
      ASSERT_GE(entry.key.data(), bytes.data());
      ASSERT_LE(entry.key.data() + entry.key.size(), bytes.data() + bytes.size());
      for (uint32_t i = 0; i < entry.extent_count; ++i) sum += entry.extent(i).length;
    }
    (void)sum;
  }
}

TEST(FormatTest, AChecksumIsBoundToStoreSegmentAndOffset) {
  const std::string data = "some bytes of a value";
  const uint32_t place = PlaceCrc(kUuid, 3, 4096);
  const uint32_t checksum = BindChecksum(place, Crc(data), data.size());
  EXPECT_EQ(ExtendCrc(place, data), checksum);
  EXPECT_NE(ExtendCrc(PlaceCrc(kUuid, 4, 4096), data), checksum);
  EXPECT_NE(ExtendCrc(PlaceCrc(kUuid, 3, 8192), data), checksum);
  EXPECT_NE(ExtendCrc(PlaceCrc({1, 2}, 3, 4096), data), checksum);
  EXPECT_EQ(UnbindChecksum(place, checksum, data.size()), Crc(data));
}

TEST(FormatTest, SegmentNamesAreReadBackStrictly) {
  char buffer[kSegmentNameBytes];
  EXPECT_EQ(SegmentName(0x1a2b, buffer), "seg-0000000000001a2b");
  uint64_t id = 0;
  EXPECT_TRUE(ParseSegmentName("seg-0000000000001a2b", &id));
  EXPECT_EQ(id, 0x1a2bu);
  for (const char* name : {"seg-0000000000001A2B", "seg-000000000000001", "seg_0000000000000001",
                           "seg-00000000000000001", "seg-000000000000000g", ""}) {
    EXPECT_FALSE(ParseSegmentName(name, &id)) << name;
  }
}

}  // namespace
}  // namespace pure::store
