#include "store/mover.h"

#include "store/format.h"
#include "store/planted_bug.h"
#include "store/segment.h"

namespace pure::store {

MutableBytes Mover::Room(uint32_t length) {
  if (buffer_.empty()) buffer_.resize(batch_bytes_);
  if (length <= buffer_.size() - buffered_) {
    buffered_ += length;
    return absl::MakeSpan(buffer_).subspan(buffered_ - length, length);
  }
  no_room_ = true;
  if (buffered_ > 0 || !large_.empty()) return {};
  large_.resize(length);
  return absl::MakeSpan(large_);
}

Result Mover::Read(const StoredExtent& extent, MutableBytes into) {
  const Segment& segment = *extent.segment;
  if (segment.file()->Read(extent.offset, into) != IoError::kNone) return Result::kStorage;
  const uint32_t crc = ExtendCrc(PlaceCrc(segment.uuid(), segment.id(), extent.offset),
                                 Bytes(into.data(), into.size()));
  if (Planted(Bug::kRecomputeChecksum)) return Result::kOk;
  return crc == extent.checksum ? Result::kOk : Result::kStorage;
}

Result Mover::BuildValue(bool* whole) {
  const absl::Span<const StoredExtent> extents = absl::MakeConstSpan(held_).subspan(key_begin_);
  value_.Begin(kExtentBytesMax);  // the fates alone say where an extent ends
  bool joins = false;             // the one before moved
  for (size_t i = 0; i < extents.size(); ++i) {
    const StoredExtent& extent = extents[i];
    const Segment& segment = *extent.segment;
    const uint32_t data_crc = UnbindChecksum(PlaceCrc(segment.uuid(), segment.id(), extent.offset),
                                             extent.checksum, extent.length);
    const MutableBytes room = fates_[i] == Fate::kStays ? MutableBytes() : Room(extent.length);
    if (room.empty()) {
      *whole = *whole && fates_[i] == Fate::kStays;
      value_.AddStored(extent, segment.bytes(extent.offset, extent.length), data_crc);
      joins = false;
      continue;
    }
    const Result read = Read(extent, room);
    if (read != Result::kOk) return read;
    const Bytes bytes(room.data(), room.size());
    value_.AddNew(bytes, Planted(Bug::kRecomputeChecksum) ? Crc(bytes) : data_crc,
                  !joins || fates_[i] == Fate::kMoves);
    joins = true;
  }
  return Result::kOk;
}

Result Mover::Add(Bytes key, Choose choose, bool* whole) {
  *whole = true;
  uint64_t revision = 0;
  EntryKind kind = EntryKind::kWrite;
  bool wanted = false;
  key_begin_ = held_.size();
  (void)index_->VisitNewest(key, [&](const Index::StoredVersion& newest) {
    fates_.assign(newest.extents.size(), Fate::kStays);
    wanted = choose(newest, absl::MakeSpan(fates_));
    if (!wanted) return;
    revision = newest.revision;
    kind = newest.kind;
    for (const StoredExtent& extent : newest.extents) {
      extent.segment->Hold();
      held_.push_back(extent);
    }
  });
  if (!wanted) return Result::kOk;
  const Result result = BuildValue(whole);
  if (result != Result::kOk) return result;
  ++entries_;
  entries_bytes_ += EntryBytes(key.size(), value_.parts().size());
  return staging_.AddMove(key, revision, kind, value_);
}

Result Mover::Commit() {
  request_.staging = &staging_;
  staging_.Seal();
  const uint64_t bytes = staging_.payload_bytes();
  const Result result = staging_.empty() ? Result::kOk : committer_->Commit(&request_);
  if (result == Result::kOk && !empty()) {
    moved_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    frame_bytes_.fetch_add(FrameBytes(entries_bytes_, bytes), std::memory_order_relaxed);
  }
  Discard();
  return result;
}

void Mover::Discard() {
  staging_.Clear();
  for (const StoredExtent& extent : held_) extent.segment->Release();
  held_.clear();
  buffered_ = 0;
  large_.clear();
  no_room_ = false;
  entries_ = 0;
  entries_bytes_ = 0;
}

}  // namespace pure::store
