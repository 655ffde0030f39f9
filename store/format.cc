#include "store/format.h"

#include <algorithm>
#include <cstring>

#include "absl/crc/crc32c.h"
#include "runtime/check.h"
#include "store/crc32c.h"
#include "store/wire.h"

namespace pure::store {
namespace {

// Read as text in a dump of the file.
constexpr char kSegmentMagic[] = "PURESEG\n";
constexpr char kFrameMagic[] = "PUREFRM\n";
constexpr char kFooterMagic[] = "PUREEND\n";
constexpr size_t kMagicBytes = 8;

bool HasMagic(Bytes bytes, const char* magic) {
  return std::memcmp(bytes.data(), magic, kMagicBytes) == 0;
}

bool AllZero(Bytes bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; });
}

constexpr size_t kSegmentFieldBytes = 68;
constexpr uint32_t kRepairFlag = 1;
constexpr size_t kSegmentCrcAt = kSegmentHeaderBytes - 4;
constexpr size_t kFrameCrcAt = kFrameHeaderBytes - 4;

}  // namespace

void EncodeSegmentHeader(const SegmentHeader& header, MutableBytes block) {
  PURE_CHECK(block.size() == kSegmentHeaderBytes, "a segment header fills one block");
  char* at = block.data();
  std::memset(at, 0, block.size());
  std::memcpy(at, kSegmentMagic, kMagicBytes);
  PutU32(at + 8, kFormatVersion);
  PutU32(at + 12, kSegmentHeaderBytes);
  PutU64(at + 16, header.uuid.high);
  PutU64(at + 24, header.uuid.low);
  PutU64(at + 32, header.id);
  PutU64(at + 40, header.predecessor);
  PutU64(at + 48, header.salt);
  PutU64(at + 56, header.length_bytes);
  PutU32(at + 64, header.repair ? kRepairFlag : 0);
  PutU32(at + kSegmentCrcAt, Crc(Bytes(at, kSegmentCrcAt)));
}

Decoded DecodeSegmentHeader(Bytes block, SegmentHeader* header) {
  if (block.size() != kSegmentHeaderBytes || !HasMagic(block, kSegmentMagic)) return Decoded::kBad;
  const char* at = block.data();
  if (GetU32(at + kSegmentCrcAt) != Crc(block.substr(0, kSegmentCrcAt))) return Decoded::kBad;
  if (GetU32(at + 8) != kFormatVersion) return Decoded::kVersion;
  if (GetU32(at + 12) != kSegmentHeaderBytes) return Decoded::kBad;
  header->uuid = {GetU64(at + 16), GetU64(at + 24)};
  header->id = GetU64(at + 32);
  header->predecessor = GetU64(at + 40);
  header->salt = GetU64(at + 48);
  header->length_bytes = GetU64(at + 56);
  header->repair = GetU32(at + 64) == kRepairFlag;
  if (GetU32(at + 64) > kRepairFlag || header->length_bytes % kBlockBytes != 0 ||
      !AllZero(block.substr(kSegmentFieldBytes, kSegmentCrcAt - kSegmentFieldBytes))) {
    return Decoded::kBad;
  }
  return Decoded::kOk;
}

uint64_t FrameBytes(uint64_t entries_bytes, uint64_t payload_bytes) {
  const uint64_t content = kFrameHeaderBytes + entries_bytes + payload_bytes + kFrameFooterBytes;
  return (content + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
}

void EncodeFrameHeader(FrameHeader* header, MutableBytes bytes) {
  PURE_CHECK(bytes.size() == kFrameHeaderBytes, "a frame header has a fixed size");
  char* at = bytes.data();
  std::memset(at, 0, bytes.size());
  std::memcpy(at, kFrameMagic, kMagicBytes);
  PutU64(at + 8, header->salt);
  PutU64(at + 16, header->seq);
  PutU64(at + 24, header->segment);
  PutU64(at + 32, header->offset);
  PutU64(at + 40, header->frame_bytes);
  PutU64(at + 48, header->payload_bytes);
  PutU64(at + 56, header->previous_chain);
  PutU32(at + 64, header->entry_count);
  PutU32(at + 68, header->entries_bytes);
  PutU32(at + 72, header->entries_crc);
  header->header_crc = Crc(Bytes(at, kFrameCrcAt));
  PutU32(at + kFrameCrcAt, header->header_crc);
}

Decoded DecodeFrameHeader(Bytes bytes, FrameHeader* header) {
  if (bytes.size() != kFrameHeaderBytes || !HasMagic(bytes, kFrameMagic)) return Decoded::kBad;
  const char* at = bytes.data();
  header->header_crc = GetU32(at + kFrameCrcAt);
  if (header->header_crc != Crc(bytes.substr(0, kFrameCrcAt))) return Decoded::kBad;
  header->salt = GetU64(at + 8);
  header->seq = GetU64(at + 16);
  header->segment = GetU64(at + 24);
  header->offset = GetU64(at + 32);
  header->frame_bytes = GetU64(at + 40);
  header->payload_bytes = GetU64(at + 48);
  header->previous_chain = GetU64(at + 56);
  header->entry_count = GetU32(at + 64);
  header->entries_bytes = GetU32(at + 68);
  header->entries_crc = GetU32(at + 72);
  constexpr uint64_t kPayloadMax = uint64_t{1} << 48;  // far from overflow, far over any frame
  if (header->payload_bytes > kPayloadMax || header->entry_count > kFrameEntriesMax ||
      header->frame_bytes != FrameBytes(header->entries_bytes, header->payload_bytes) ||
      header->offset % kBlockBytes != 0) {
    return Decoded::kBad;
  }
  return Decoded::kOk;
}

void EncodeFrameFooter(const FrameHeader& header, MutableBytes bytes) {
  PURE_CHECK(bytes.size() == kFrameFooterBytes, "a frame footer has a fixed size");
  char* at = bytes.data();
  PutU64(at, header.chain());
  PutU64(at + 8, header.seq);
  PutU64(at + 16, header.payload_bytes);
  std::memcpy(at + 24, kFooterMagic, kMagicBytes);
}

bool FooterMatches(const FrameHeader& header, Bytes bytes) {
  if (bytes.size() != kFrameFooterBytes) return false;
  const char* at = bytes.data();
  return GetU64(at) == header.chain() && GetU64(at + 8) == header.seq &&
         GetU64(at + 16) == header.payload_bytes && HasMagic(bytes.substr(24), kFooterMagic);
}

void EncodeExtent(const DiskExtent& extent, MutableBytes bytes) {
  PURE_CHECK(bytes.size() >= kEntryExtentBytes, "an encoded extent has a fixed size");
  char* at = bytes.data();
  PutU64(at, extent.segment);
  PutU64(at + 8, extent.offset);
  PutU64(at + 16, extent.length);
  PutU32(at + 24, extent.checksum);
  PutU32(at + 28, 0);
}

size_t EncodeEntry(Bytes key, EntryKind kind, uint64_t revision,
                   absl::Span<const DiskExtent> extents, MutableBytes bytes) {
  const size_t size = EntryBytes(key.size(), extents.size());
  PURE_CHECK(bytes.size() >= size && !key.empty() && key.size() <= 255, "an entry does not fit");
  char* at = bytes.data();
  at[0] = static_cast<char>(key.size());
  at[1] = static_cast<char>(kind);
  at[2] = 0;
  at[3] = 0;
  PutU32(at + 4, static_cast<uint32_t>(extents.size()));
  PutU64(at + 8, revision);
  size_t position = kEntryBytes;
  for (const DiskExtent& extent : extents) {
    EncodeExtent(extent, bytes.subspan(position));
    position += kEntryExtentBytes;
  }
  std::memcpy(at + position, key.data(), key.size());
  return size;
}

DiskExtent EntryView::extent(uint32_t i) const {
  PURE_CHECK(i < extent_count, "an entry has fewer extents");
  const char* at = encoded_extents.data() + i * kEntryExtentBytes;
  return {.segment = GetU64(at),
          .offset = GetU64(at + 8),
          .length = GetU64(at + 16),
          .checksum = GetU32(at + 24)};
}

bool EntryReader::Next(EntryView* entry) {
  if (bad_ || next_ == entry_count_) return false;
  bad_ = true;  // until the whole entry is found sound
  const Bytes rest = entries_.substr(position_);
  if (rest.size() < kEntryBytes) return false;
  const size_t key_bytes = static_cast<unsigned char>(rest[0]);
  const uint8_t kind = static_cast<uint8_t>(rest[1]);
  const uint32_t extent_count = GetU32(rest.data() + 4);
  if (key_bytes == 0 || rest[2] != 0 || rest[3] != 0) return false;
  if (kind != static_cast<uint8_t>(EntryKind::kWrite) &&
      kind != static_cast<uint8_t>(EntryKind::kErase)) {
    return false;
  }
  if (kind == static_cast<uint8_t>(EntryKind::kErase) && extent_count != 0) return false;
  if (extent_count > (rest.size() - kEntryBytes) / kEntryExtentBytes) return false;
  const size_t size = EntryBytes(key_bytes, extent_count);
  if (rest.size() < size) return false;
  entry->kind = static_cast<EntryKind>(kind);
  entry->revision = GetU64(rest.data() + 8);
  entry->extent_count = extent_count;
  entry->extents_position = position_ + kEntryBytes;
  entry->encoded_extents = rest.substr(kEntryBytes, extent_count * kEntryExtentBytes);
  entry->key = rest.substr(size - key_bytes, key_bytes);
  for (uint32_t i = 0; i < extent_count; ++i) {
    const DiskExtent extent = entry->extent(i);
    if (extent.length == 0 || extent.length > kExtentBytesMax) return false;
  }
  if (!IsRevision(entry->revision)) return false;
  position_ += size;
  ++next_;
  bad_ = false;
  return true;
}

uint32_t Crc(Bytes bytes) { return ExtendCrc32c(0, bytes); }

uint32_t ExtendCrc(uint32_t crc, Bytes bytes) { return ExtendCrc32c(crc, bytes); }

uint32_t ConcatCrc(uint32_t first, uint32_t second, uint64_t second_bytes) {
  return static_cast<uint32_t>(
      absl::ConcatCrc32c(absl::crc32c_t{first}, absl::crc32c_t{second}, second_bytes));
}

uint32_t PlaceCrc(const StoreUuid& uuid, uint64_t segment, uint64_t offset) {
  char place[32];
  PutU64(place, uuid.high);
  PutU64(place + 8, uuid.low);
  PutU64(place + 16, segment);
  PutU64(place + 24, offset);
  return Crc(Bytes(place, sizeof(place)));
}

uint32_t BindChecksum(uint32_t place_crc, uint32_t data_crc, uint64_t length) {
  return ConcatCrc(place_crc, data_crc, length);
}

uint32_t UnbindChecksum(uint32_t place_crc, uint32_t checksum, uint64_t length) {
  return static_cast<uint32_t>(
      absl::RemoveCrc32cPrefix(absl::crc32c_t{place_crc}, absl::crc32c_t{checksum}, length));
}

Bytes SegmentName(uint64_t id, char* buffer) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::memcpy(buffer, "seg-", 4);
  for (size_t i = 0; i < 16; ++i) buffer[4 + i] = kDigits[(id >> (60 - 4 * i)) & 15];
  return Bytes(buffer, kSegmentNameBytes);
}

bool ParseSegmentName(Bytes name, uint64_t* id) {
  if (name.size() != kSegmentNameBytes || name.substr(0, 4) != "seg-") return false;
  uint64_t value = 0;
  for (char c : name.substr(4)) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit && (c < 'a' || c > 'f')) return false;
    value = value << 4 | static_cast<uint64_t>(digit ? c - '0' : c - 'a' + 10);
  }
  *id = value;
  return true;
}

}  // namespace pure::store
