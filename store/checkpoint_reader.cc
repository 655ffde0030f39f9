#include "store/checkpoint_reader.h"

#include <array>

namespace pure::store {

bool CheckpointReader::Open(const StoreUuid& uuid, uint64_t id, uint64_t size_bytes) {
  uint64_t file_bytes = 0;
  if (file_->Size(&file_bytes) != IoError::kNone || file_bytes != size_bytes) return false;
  std::array<char, kCheckpointHeaderBytes> head;
  if (size_bytes < head.size() || file_->Read(0, absl::MakeSpan(head)) != IoError::kNone) {
    return false;
  }
  if (DecodeCheckpointHeader(Bytes(head.data(), head.size()), &header_) != Decoded::kOk) {
    return false;
  }
  if (!(header_.uuid == uuid) || header_.id != id) return false;
  const size_t segments_bytes = CheckpointSegmentsBytes(header_.segment_count);
  if (header_.blocks_end > size_bytes || size_bytes - header_.blocks_end != segments_bytes) {
    return false;
  }
  std::vector<char> segments(segments_bytes);
  return file_->Read(header_.blocks_end, absl::MakeSpan(segments)) == IoError::kNone &&
         DecodeCheckpointSegments(header_, Bytes(segments.data(), segments.size()), &ids_);
}

bool CheckpointReader::ReadAll(absl::FunctionRef<bool(const CheckpointVersion& version,
                                                      absl::Span<const CheckpointExtent> extents)>
                                   visit) {
  uint64_t versions = 0;
  std::vector<char> body;
  for (uint64_t at = kCheckpointHeaderBytes; at < header_.blocks_end;) {
    std::array<char, kCheckpointBlockHeaderBytes> bytes;
    CheckpointBlockHeader block;
    if (header_.blocks_end - at < bytes.size() ||
        file_->Read(at, absl::MakeSpan(bytes)) != IoError::kNone ||
        !DecodeCheckpointBlockHeader(header_, at, Bytes(bytes.data(), bytes.size()), &block)) {
      return false;
    }
    at += bytes.size();
    if (block.body_bytes > header_.blocks_end - at) return false;
    body.resize(block.body_bytes);
    if (file_->Read(at, absl::MakeSpan(body)) != IoError::kNone ||
        !ReadCheckpointBody(block, Bytes(body.data(), body.size()), visit)) {
      return false;
    }
    at += body.size();
    versions += block.versions;
  }
  return versions == header_.versions;
}

}  // namespace pure::store
