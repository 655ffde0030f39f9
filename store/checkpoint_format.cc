#include "store/checkpoint_format.h"

#include <algorithm>
#include <cstring>

#include "runtime/check.h"
#include "store/planted_bug.h"
#include "store/wire.h"

namespace pure::store {
namespace {

constexpr char kMagic[] = "PURECHK\n";
constexpr size_t kMagicBytes = 8;
constexpr Bytes kNamePrefix = "checkpoint-";
constexpr size_t kVersionBytes = 24;  // of a version without its extents and key
constexpr size_t kExtentBytes = 20;

uint32_t BoundCrc(const CheckpointHeader& file, uint64_t offset, Bytes bytes) {
  return ExtendCrc(PlaceCrc(file.uuid, file.id, offset), bytes);
}

}  // namespace

void EncodeCheckpointHeader(const CheckpointHeader& header, MutableBytes bytes) {
  PURE_CHECK(bytes.size() == kCheckpointHeaderBytes, "a header has its size");
  std::memset(bytes.data(), 0, bytes.size());
  char* const at = bytes.data();
  std::memcpy(at, kMagic, kMagicBytes);
  PutU32(at + 8, kFormatVersion);
  PutU32(at + 12, header.segment_count);
  PutU64(at + 16, header.uuid.high);
  PutU64(at + 24, header.uuid.low);
  PutU64(at + 32, header.id);
  PutU64(at + 40, header.covers_seq);
  PutU64(at + 48, header.versions);
  PutU64(at + 56, header.blocks_end);
  PutU32(at + 92, Crc(Bytes(at, 92)));
}

Decoded DecodeCheckpointHeader(Bytes bytes, CheckpointHeader* header) {
  if (bytes.size() != kCheckpointHeaderBytes) return Decoded::kBad;
  const char* const at = bytes.data();
  if (std::memcmp(at, kMagic, kMagicBytes) != 0) return Decoded::kBad;
  if (GetU32(at + 92) != Crc(bytes.substr(0, 92))) return Decoded::kBad;
  if (GetU32(at + 8) != kFormatVersion) return Decoded::kVersion;
  header->segment_count = GetU32(at + 12);
  header->uuid = {GetU64(at + 16), GetU64(at + 24)};
  header->id = GetU64(at + 32);
  header->covers_seq = GetU64(at + 40);
  header->versions = GetU64(at + 48);
  header->blocks_end = GetU64(at + 56);
  const Bytes zeros = bytes.substr(64, 28);
  const bool sound = header->blocks_end >= kCheckpointHeaderBytes &&
                     std::all_of(zeros.begin(), zeros.end(), [](char c) { return c == 0; });
  return sound ? Decoded::kOk : Decoded::kBad;
}

void EncodeCheckpointSegments(const CheckpointHeader& header, absl::Span<const uint64_t> ids,
                              MutableBytes bytes) {
  PURE_CHECK(bytes.size() == CheckpointSegmentsBytes(ids.size()), "the segments have their size");
  for (size_t i = 0; i < ids.size(); ++i) PutU64(bytes.data() + 8 * i, ids[i]);
  const Bytes numbers(bytes.data(), 8 * ids.size());
  PutU32(bytes.data() + numbers.size(), BoundCrc(header, header.blocks_end, numbers));
}

bool DecodeCheckpointSegments(const CheckpointHeader& header, Bytes bytes,
                              std::vector<uint64_t>* ids) {
  if (bytes.size() != CheckpointSegmentsBytes(header.segment_count)) return false;
  const Bytes numbers = bytes.substr(0, bytes.size() - 4);
  if (GetU32(bytes.data() + numbers.size()) != BoundCrc(header, header.blocks_end, numbers)) {
    return false;
  }
  ids->clear();
  for (size_t i = 0; i < header.segment_count; ++i) ids->push_back(GetU64(bytes.data() + 8 * i));
  return true;
}

void AppendCheckpointVersion(const CheckpointVersion& version,
                             absl::Span<const CheckpointExtent> extents, std::vector<char>* body) {
  const size_t begin = body->size();
  body->resize(begin + kVersionBytes + extents.size() * kExtentBytes + version.key.size());
  char* at = body->data() + begin;
  at[0] = static_cast<char>(version.key.size());
  at[1] = static_cast<char>(version.kind);
  PutU32(at + 4, static_cast<uint32_t>(extents.size()));
  PutU64(at + 8, version.revision);
  PutU32(at + 16, version.home);
  at += kVersionBytes;
  for (const CheckpointExtent& extent : extents) {
    PutU64(at, extent.offset);
    PutU32(at + 8, extent.segment);
    PutU32(at + 12, extent.length);
    PutU32(at + 16, extent.checksum);
    at += kExtentBytes;
  }
  std::memcpy(at, version.key.data(), version.key.size());
}

void EncodeCheckpointBlockHeader(const CheckpointHeader& file, uint64_t offset, uint32_t versions,
                                 Bytes body, MutableBytes bytes) {
  PURE_CHECK(bytes.size() == kCheckpointBlockHeaderBytes, "a block's header has its size");
  PutU32(bytes.data(), static_cast<uint32_t>(body.size()));
  PutU32(bytes.data() + 4, versions);
  PutU32(bytes.data() + 8, Crc(body));
  PutU32(bytes.data() + 12, BoundCrc(file, offset, Bytes(bytes.data(), 12)));
}

bool DecodeCheckpointBlockHeader(const CheckpointHeader& file, uint64_t offset, Bytes bytes,
                                 CheckpointBlockHeader* header) {
  if (bytes.size() != kCheckpointBlockHeaderBytes) return false;
  if (GetU32(bytes.data() + 12) != BoundCrc(file, offset, bytes.substr(0, 12))) return false;
  *header = {GetU32(bytes.data()), GetU32(bytes.data() + 4), GetU32(bytes.data() + 8)};
  return true;
}

bool ReadCheckpointBody(const CheckpointBlockHeader& header, Bytes body,
                        absl::FunctionRef<bool(const CheckpointVersion& version,
                                               absl::Span<const CheckpointExtent> extents)>
                            visit) {
  if (body.size() != header.body_bytes) return false;
  if (Crc(body) != header.body_crc && !Planted(Bug::kTrustCheckpoint)) return false;
  std::vector<CheckpointExtent> extents;
  for (uint32_t i = 0; i < header.versions; ++i) {
    if (body.size() < kVersionBytes) return false;
    const char* at = body.data();
    const size_t key_bytes = static_cast<uint8_t>(at[0]);
    const uint8_t kind = static_cast<uint8_t>(at[1]);
    const uint32_t extent_count = GetU32(at + 4);
    const size_t rest = body.size() - kVersionBytes;
    const bool zeros = at[2] == 0 && at[3] == 0 && GetU32(at + 20) == 0;
    if (key_bytes == 0 || (kind != 1 && kind != 2) || !zeros || (kind == 2 && extent_count != 0) ||
        extent_count > rest / kExtentBytes || rest - extent_count * kExtentBytes < key_bytes) {
      return false;
    }
    CheckpointVersion version{
        .kind = static_cast<EntryKind>(kind), .revision = GetU64(at + 8), .home = GetU32(at + 16)};
    if (!IsRevision(version.revision)) return false;
    at += kVersionBytes;
    extents.clear();
    for (uint32_t e = 0; e < extent_count; ++e, at += kExtentBytes) {
      extents.push_back({.segment = GetU32(at + 8),
                         .length = GetU32(at + 12),
                         .offset = GetU64(at),
                         .checksum = GetU32(at + 16)});
    }
    version.key = Bytes(at, key_bytes);
    body.remove_prefix(kVersionBytes + extent_count * kExtentBytes + key_bytes);
    if (!visit(version, extents)) return false;
  }
  return body.empty();
}

Bytes CheckpointName(uint64_t id, char* buffer) {
  char segment[kSegmentNameBytes];
  const Bytes digits = SegmentName(id, segment).substr(4);
  std::memcpy(buffer, kNamePrefix.data(), kNamePrefix.size());
  std::memcpy(buffer + kNamePrefix.size(), digits.data(), digits.size());
  return Bytes(buffer, kCheckpointNameBytes);
}

bool ParseCheckpointName(Bytes name, uint64_t* id) {
  if (name.substr(0, kNamePrefix.size()) != kNamePrefix) return false;
  char segment[kSegmentNameBytes] = {'s', 'e', 'g', '-'};
  const Bytes digits = name.substr(kNamePrefix.size());
  if (digits.size() != kSegmentNameBytes - 4) return false;
  std::memcpy(segment + 4, digits.data(), digits.size());
  return ParseSegmentName(Bytes(segment, kSegmentNameBytes), id);
}

}  // namespace pure::store
