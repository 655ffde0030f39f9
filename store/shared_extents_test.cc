// Values whose extents lie in several frames: they are made by sharing, read, lent, moved by
// repairs, and verified.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "store/extent_store.h"
#include "store/format.h"
#include "store/manifest.h"
#include "store/testing/simulated_store.h"

namespace pure::store {
namespace {

class SharedExtentsTest : public SimulatedStoreTest {
 protected:
  // A store with two values and, behind them, a frame made by hand: "shared" is the first value,
  // bytes of its own, and the second value.
  // `spoil` may change the frame's header.
  void MakeStore(const std::function<void(FrameHeader*)>& spoil = [](FrameHeader*) {}) {
    Open();
    ASSERT_EQ(Write("a", first_), Result::kOk);
    ASSERT_EQ(Write("b", second_), Result::kOk);
    Kill();
    const std::string segment = disk_.Content(kFirst);
    SegmentHeader segment_header;
    ASSERT_EQ(DecodeSegmentHeader(segment.substr(0, kSegmentHeaderBytes), &segment_header),
              Decoded::kOk);
    FrameHeader last;
    std::vector<DiskExtent> extents;
    uint64_t offset = kSegmentHeaderBytes;
    while (DecodeFrameHeader(segment.substr(offset, kFrameHeaderBytes), &last) == Decoded::kOk) {
      EntryReader reader(Bytes(segment).substr(offset + kFrameHeaderBytes, last.entries_bytes),
                         last.entry_count);
      EntryView entry;
      ASSERT_TRUE(reader.Next(&entry));
      extents.push_back(entry.extent(0));
      offset += last.frame_bytes;
    }
    ASSERT_EQ(extents.size(), 2u);
    disk_.Overwrite(kFirst, offset, FrameBehind(segment_header, last, extents, spoil));
  }

  std::string FrameBehind(const SegmentHeader& segment, const FrameHeader& last,
                          std::vector<DiskExtent> extents,
                          const std::function<void(FrameHeader*)>& spoil) {
    FrameHeader header = last;
    header.seq = last.seq + 1;
    header.offset = last.offset + last.frame_bytes;
    header.payload_bytes = own_.size();
    header.previous_chain = last.chain();
    header.entry_count = 1;
    header.entries_bytes = static_cast<uint32_t>(EntryBytes(6, 3));
    header.frame_bytes = FrameBytes(header.entries_bytes, header.payload_bytes);
    DiskExtent own{segment.id, header.payload_offset(), own_.size(), 0};
    own.checksum =
        BindChecksum(PlaceCrc(segment.uuid, own.segment, own.offset), Crc(own_), own_.size());
    extents.insert(extents.begin() + 1, own);
    std::string frame(header.frame_bytes, '\0');
    const MutableBytes bytes = absl::MakeSpan(frame);
    EncodeEntry("shared", EntryKind::kWrite, 1, extents, bytes.subspan(kFrameHeaderBytes));
    header.entries_crc = Crc(Bytes(frame).substr(kFrameHeaderBytes, header.entries_bytes));
    spoil(&header);
    EncodeFrameHeader(&header, bytes.first(kFrameHeaderBytes));
    const size_t payload_at = kFrameHeaderBytes + header.entries_bytes;
    frame.replace(payload_at, own_.size(), own_);
    EncodeFrameFooter(header, bytes.subspan(payload_at + own_.size(), kFrameFooterBytes));
    return frame;
  }

  const std::string first_ = std::string(3000, '1');
  const std::string second_ = std::string(5000, '2');
  const std::string own_ = "bytes of its own";
};

TEST_F(SharedExtentsTest, AValueOfSeveralExtentsIsReadInPieces) {
  MakeStore();
  Open();
  EXPECT_EQ(Read("shared") == "1:" + first_ + own_ + second_, true);
  handle_->TakeLook();
  Found found;
  ASSERT_EQ(handle_->Find("shared", &found), Result::kOk);
  EXPECT_EQ(found.size_bytes, first_.size() + own_.size() + second_.size());
  ASSERT_EQ(found.value.spans().size(), 3u);
  EXPECT_EQ(found.value.spans()[1], own_);
  Close();
  EXPECT_EQ(found.value.spans()[2], second_);  // lent beyond the store's end
}

TEST_F(SharedExtentsTest, RepairsMoveTheExtentsAndTheirChecksumsAlong) {
  MakeStore();
  for (int kills = 0; kills < 3; ++kills) {
    Open();
    EXPECT_GT(store_->repaired_bytes(), 0u);
    EXPECT_EQ(Read("shared") == "1:" + first_ + own_ + second_, true) << kills;
    VerifyReport report;
    ASSERT_TRUE(store_->Verify(&report).ok());
    EXPECT_TRUE(report.damages.empty());
    EXPECT_EQ(report.frames, 3u);
    Kill();
  }
  Open();
  Close();
  Open();
  EXPECT_EQ(store_->repaired_bytes(), 0u);
  EXPECT_EQ(Read("shared") == "1:" + first_ + own_ + second_, true);
}

TEST_F(SharedExtentsTest, ABadSharedExtentIsRefusedForEachValueThatHoldsIt) {
  MakeStore();
  Open();
  const std::string name = disk_.Names().back();
  FlipBit(name, OffsetOf(name, second_) + 100);
  EXPECT_EQ(Read("shared"), "storage");
  EXPECT_EQ(Read("b"), "storage");
  EXPECT_EQ(Read("a") == "1:" + first_, true);
}

TEST_F(SharedExtentsTest, ASpliceWritesTheNewBytesOnlyAndSharesTheRest) {
  options_.segment_bytes = options_.first_segment_bytes = 1u << 20;
  Open();
  const std::string value(60000, 'v');
  ASSERT_EQ(Write("doc", value), Result::kOk);
  const uint64_t before = store_->counters().written_bytes;
  handle_->TakeLook();
  Found found;
  ASSERT_EQ(handle_->FindToStage("doc", &found), Result::kOk);
  const Bytes stored = found.value.spans()[0];
  ASSERT_EQ(handle_->Stage("doc", 1, {stored.substr(0, 30000), own_, stored.substr(30000)}),
            Result::kOk);
  ASSERT_EQ(handle_->Commit(), Result::kOk);
  EXPECT_EQ(store_->counters().written_bytes - before, kBlockBytes);
  const std::string expected = "2:" + value.substr(0, 30000) + own_ + value.substr(30000);
  EXPECT_EQ(Read("doc") == expected, true);
  Kill();
  Open();
  EXPECT_EQ(Read("doc") == expected, true);
}

TEST_F(SharedExtentsTest, BytesOfAnotherKeyOrOfNobodyAreWritten) {
  options_.segment_bytes = options_.first_segment_bytes = 1u << 20;
  Open();
  const std::string value(60000, 'v');
  ASSERT_EQ(Write("doc", value), Result::kOk);
  const uint64_t before = store_->counters().written_bytes;
  handle_->TakeLook();
  Found found;
  ASSERT_EQ(handle_->Find("doc", &found), Result::kOk);
  ASSERT_EQ(handle_->Stage("other", 0, {found.value.spans()[0]}), Result::kOk);
  ASSERT_EQ(handle_->Commit(), Result::kOk);
  EXPECT_GT(store_->counters().written_bytes - before, 60000u);
  EXPECT_EQ(Read("other") == "1:" + value, true);
}

// Its parts would get checksums of what was read.
TEST_F(SharedExtentsTest, ADamagedExtentIsNotCutButSharedWholeAndRefusedWhenItIsRead) {
  options_.segment_bytes = options_.first_segment_bytes = 1u << 20;
  Open();
  ASSERT_EQ(Write("doc", std::string(60000, 'v')), Result::kOk);
  FlipBit(kFirst, OffsetOf(kFirst, std::string(60000, 'v')) + 50000);
  handle_->TakeLook();
  Found found;
  ASSERT_EQ(handle_->FindToStage("doc", &found), Result::kOk) << "nobody looks at the bytes";
  const Bytes stored = found.value.spans()[0];
  EXPECT_EQ(handle_->Stage("doc", 1, {stored.substr(0, 30000), own_}), Result::kStorage);
  ASSERT_EQ(handle_->Stage("doc", 1, {stored, own_}), Result::kOk);
  ASSERT_EQ(handle_->Commit(), Result::kOk);
  EXPECT_EQ(Read("doc"), "storage");
}

// As if other files had left it on the disk.
TEST_F(SharedExtentsTest, AFrameWithAnotherSaltDoesNotCount) {
  MakeStore([](FrameHeader* header) { ++header->salt; });
  Open();
  EXPECT_EQ(Read("shared"), "0:");
  EXPECT_EQ(Read("b") == "1:" + second_, true);
}

TEST_F(SharedExtentsTest, AFrameThatDoesNotFollowTheOneBeforeItIsDamage) {
  MakeStore([](FrameHeader* header) { ++header->previous_chain; });
  ExpectRefused(absl::StatusCode::kDataLoss, "the frame before this one is not the saved one");
}

TEST_F(SharedExtentsTest, AnExtentThatLiesNowhereIsDamage) {
  MakeStore();
  // The frame in flight is sound by itself, but it names bytes of a segment that no manifest knows.
  std::string segment = disk_.Content(kFirst);
  FrameHeader header;
  uint64_t offset = kSegmentHeaderBytes;
  while (DecodeFrameHeader(segment.substr(offset, kFrameHeaderBytes), &header) == Decoded::kOk &&
         header.seq < 3) {
    offset += header.frame_bytes;
  }
  const size_t extent_at = offset + kFrameHeaderBytes + kEntryBytes;
  segment[extent_at] = 77;
  header.entries_crc = Crc(Bytes(segment).substr(offset + kFrameHeaderBytes, header.entries_bytes));
  EncodeFrameHeader(&header, absl::MakeSpan(segment).subspan(offset, kFrameHeaderBytes));
  const size_t footer_at = header.payload_offset() + header.payload_bytes;
  EncodeFrameFooter(header, absl::MakeSpan(segment).subspan(footer_at, kFrameFooterBytes));
  disk_.Overwrite(kFirst, 0, segment);
  EXPECT_EQ(TryOpen(&disk_).code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace pure::store
