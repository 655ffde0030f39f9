#include "store/checkpoint_writer.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "runtime/check.h"
#include "store/segment.h"

namespace pure::store {
namespace {

std::string NameOf(uint64_t id) {
  char name[kCheckpointNameBytes];
  return std::string(CheckpointName(id, name));
}

}  // namespace

CheckpointWriter::CheckpointWriter(const Index* index, Directory* directory, const StoreUuid& uuid,
                                   uint64_t id, uint64_t covers_seq)
    : index_(index),
      directory_(directory),
      header_{.uuid = uuid, .id = id, .covers_seq = covers_seq},
      name_(NameOf(id)) {}

uint32_t CheckpointWriter::NumberOf(const Segment* segment) {
  const auto [number, fresh] =
      numbers_.try_emplace(segment->id(), static_cast<uint32_t>(segment_ids_.size()));
  if (fresh) segment_ids_.push_back(segment->id());
  return number->second;
}

void CheckpointWriter::Add(Bytes key, const Index::StoredVersion& version) {
  extents_.clear();
  for (const StoredExtent& extent : version.extents) {
    extents_.push_back({.segment = NumberOf(extent.segment),
                        .length = extent.length,
                        .offset = extent.offset,
                        .checksum = extent.checksum});
  }
  AppendCheckpointVersion({.key = key,
                           .kind = version.kind,
                           .revision = version.revision,
                           .home = NumberOf(version.home)},
                          extents_, &body_);
  ++body_versions_;
  ++header_.versions;
}

IoError CheckpointWriter::WriteBlock() {
  if (body_.empty()) return IoError::kNone;
  std::array<char, kCheckpointBlockHeaderBytes> block_header;
  const Bytes body(body_.data(), body_.size());
  EncodeCheckpointBlockHeader(header_, end_, body_versions_, body, absl::MakeSpan(block_header));
  const Bytes spans[] = {Bytes(block_header.data(), block_header.size()), body};
  uint64_t written_bytes = 0;
  const IoError error = file_->Write(end_, spans, &written_bytes);
  end_ += block_header.size() + body.size();
  body_.clear();
  body_versions_ = 0;
  return error;
}

IoError CheckpointWriter::WriteEnd() {
  header_.blocks_end = end_;
  header_.segment_count = static_cast<uint32_t>(segment_ids_.size());
  std::vector<char> segments(CheckpointSegmentsBytes(segment_ids_.size()));
  EncodeCheckpointSegments(header_, segment_ids_, absl::MakeSpan(segments));
  const Bytes segments_spans[] = {Bytes(segments.data(), segments.size())};
  uint64_t written_bytes = 0;
  IoError error = file_->Write(end_, segments_spans, &written_bytes);
  if (error != IoError::kNone) return error;
  end_ += segments.size();
  std::array<char, kCheckpointHeaderBytes> head;
  EncodeCheckpointHeader(header_, absl::MakeSpan(head));
  const Bytes head_spans[] = {Bytes(head.data(), head.size())};
  return file_->Write(0, head_spans, &written_bytes);
}

IoFailure CheckpointWriter::Step() {
  PURE_CHECK(!done_, "the checkpoint is written");
  IoFailure failure;
  if (file_ == nullptr) {
    failure.error = directory_->Create(name_, &file_);
    if (failure) failure.what = absl::StrCat("creating ", name_);
    return failure;
  }
  if (shard_ < Index::kShards) {
    // Under a shard's lock only memory is touched.
    while (body_.size() < kCheckpointBlockBytes && shard_ < Index::kShards) {
      index_->VisitShard(shard_++, [this](Bytes key, const Index::StoredVersion& version) {
        if (version.seq <= header_.covers_seq) Add(key, version);
      });
    }
    failure.error = WriteBlock();
  } else {
    failure.error = WriteEnd();
    if (!failure) {
      failure.sync = true;
      failure.error = file_->Sync();
      done_ = !failure;
    }
  }
  if (failure) failure.what = absl::StrCat(failure.sync ? "sync of " : "writing ", name_);
  return failure;
}

void CheckpointWriter::Abandon() {
  if (file_ == nullptr) return;
  file_.reset();
  // When it can not be removed now, the next opening does it: no manifest names it.
  (void)directory_->Remove(name_);
}

}  // namespace pure::store
