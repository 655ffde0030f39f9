#pragma once

// The bytes of a segment file: its header, and frames of entries and extents. docs/store-format.md
// describes them for people who write readers. All numbers are little-endian; every byte that is
// written is set, padding to zero.
//
// Readers take any bytes: what is not a whole, sound structure is refused, and nothing beyond the
// given span is read.
//
// Thread: any; no state. Cost: no allocation.

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "runtime/bytes.h"

namespace pure::store {

inline constexpr uint32_t kFormatVersion = 1;
// Frames begin at multiples of it, and no write touches a block that holds acknowledged bytes.
inline constexpr size_t kBlockBytes = 4096;
inline constexpr size_t kSegmentHeaderBytes = kBlockBytes;
inline constexpr size_t kFrameHeaderBytes = 96;
inline constexpr size_t kFrameFooterBytes = 32;
inline constexpr size_t kEntryBytes = 16;        // of an entry without its extents and key
inline constexpr size_t kEntryExtentBytes = 32;  // of one extent in an entry
inline constexpr uint32_t kFrameEntriesMax = 1u << 20;
inline constexpr uint64_t kExtentBytesMax = 0xffffffff;
// Of a key: 1 to this. What has the last one can not be written any more.
inline constexpr uint64_t kRevisionMax = 0xfffffffffffffffe;
inline bool IsRevision(uint64_t number) { return number - 1 < kRevisionMax; }

struct StoreUuid {
  uint64_t high = 0;
  uint64_t low = 0;
  friend bool operator==(const StoreUuid&, const StoreUuid&) = default;
};

// What decoding found.
enum class [[nodiscard]] Decoded : uint8_t{
    kOk,
    kBad,      // no such structure: torn, damaged or never written
    kVersion,  // sound, but of another format version
};

// ---- Segment header: the first block of a segment ----

struct SegmentHeader {
  StoreUuid uuid;
  uint64_t id = 0;
  uint64_t predecessor = 0;  // the id before it in the log; 0: the first
  uint64_t salt = 0;  // random: what was left by other files is not taken for this segment's frames
  uint64_t length_bytes = 0;  // preallocated; a multiple of kBlockBytes
  bool repair = false;        // made by an opening, for copies of unsealed frames
};

// Fills `block`. REQUIRES: block.size() == kSegmentHeaderBytes.
void EncodeSegmentHeader(const SegmentHeader& header, MutableBytes block);
Decoded DecodeSegmentHeader(Bytes block, SegmentHeader* header);

// ---- Frame: one save ----

struct FrameHeader {
  uint64_t salt = 0;            // of the segment
  uint64_t seq = 0;             // 1 more than the frame before, across segments
  uint64_t segment = 0;         // where the frame belongs
  uint64_t offset = 0;          // a multiple of kBlockBytes
  uint64_t frame_bytes = 0;     // with padding; a multiple of kBlockBytes
  uint64_t payload_bytes = 0;   // of the extents
  uint64_t previous_chain = 0;  // the chain hash of the frame before; 0 for the first of all
  uint32_t entry_count = 0;
  uint32_t entries_bytes = 0;
  uint32_t entries_crc = 0;  // CRC-32C of the entries; they hold the checksums of the extents
  uint32_t header_crc = 0;   // set by both functions below

  // The hash that the next frame names: this frame's content and, through previous_chain, all
  // before it.
  uint64_t chain() const { return (uint64_t{header_crc} << 32) | entries_crc; }
  uint64_t payload_offset() const { return offset + kFrameHeaderBytes + entries_bytes; }
};

// header + entries + payload + footer, up to the next block.
uint64_t FrameBytes(uint64_t entries_bytes, uint64_t payload_bytes);

// Fills `bytes` and sets header->header_crc. REQUIRES: bytes.size() == kFrameHeaderBytes.
void EncodeFrameHeader(FrameHeader* header, MutableBytes bytes);
// kOk: the checksum holds and the sizes agree with each other. Whether it is the expected frame is
// the caller's to say.
Decoded DecodeFrameHeader(Bytes bytes, FrameHeader* header);

// REQUIRES: bytes.size() == kFrameFooterBytes; the header was encoded or decoded.
void EncodeFrameFooter(const FrameHeader& header, MutableBytes bytes);
bool FooterMatches(const FrameHeader& header, Bytes bytes);

// ---- Entries ----

enum class EntryKind : uint8_t { kWrite = 1, kErase = 2 };

// A run of stored bytes. It may lie in an earlier frame, so that values share bytes.
struct DiskExtent {
  uint64_t segment = 0;
  uint64_t offset = 0;
  uint64_t length = 0;
  uint32_t checksum = 0;  // bound to its place: see BindChecksum
};

inline size_t EntryBytes(size_t key_bytes, size_t extent_count) {
  return kEntryBytes + extent_count * kEntryExtentBytes + key_bytes;
}

// Writes an entry to the start of `bytes` and returns its size.
// REQUIRES: bytes.size() >= EntryBytes(key.size(), extents.size()); 1 <= key.size() <= 255.
size_t EncodeEntry(Bytes key, EntryKind kind, uint64_t revision,
                   absl::Span<const DiskExtent> extents, MutableBytes bytes);

// An entry in place: its spans live as long as the bytes that were read.
struct EntryView {
  Bytes key;
  EntryKind kind = EntryKind::kWrite;
  uint64_t revision = 0;
  uint32_t extent_count = 0;
  size_t extents_position = 0;  // in the entries' bytes
  Bytes encoded_extents;

  // REQUIRES: i < extent_count.
  DiskExtent extent(uint32_t i) const;
};

// Reads the entries of one frame one after the other.
class EntryReader {
 public:
  EntryReader(Bytes entries, uint32_t entry_count) : entries_(entries), entry_count_(entry_count) {}

  // False: no more, or a bad one.
  bool Next(EntryView* entry);
  // After Next was false: all entries were sound and used up the bytes.
  bool complete() const { return !bad_ && next_ == entry_count_ && position_ == entries_.size(); }

 private:
  Bytes entries_;
  uint32_t entry_count_;
  uint32_t next_ = 0;
  size_t position_ = 0;
  bool bad_ = false;
};

// Puts another place and checksum into an encoded extent at the start of `bytes`.
void EncodeExtent(const DiskExtent& extent, MutableBytes bytes);

// ---- Checksums ----

uint32_t Crc(Bytes bytes);
uint32_t ExtendCrc(uint32_t crc, Bytes bytes);
// The CRC of what two runs give together.
uint32_t ConcatCrc(uint32_t first, uint32_t second, uint64_t second_bytes);

// An extent's checksum is the CRC-32C of store UUID, segment id and offset followed by its bytes,
// so that bytes that turn up in a wrong place do not pass. PlaceCrc is the part before the bytes:
// continue it over them to verify.
uint32_t PlaceCrc(const StoreUuid& uuid, uint64_t segment, uint64_t offset);
// The same from the CRC of the bytes alone, without touching them, and back.
uint32_t BindChecksum(uint32_t place_crc, uint32_t data_crc, uint64_t length);
uint32_t UnbindChecksum(uint32_t place_crc, uint32_t checksum, uint64_t length);

// ---- Names ----

// "seg-" and 16 hexadecimal digits in a caller's buffer of kSegmentNameBytes.
inline constexpr size_t kSegmentNameBytes = 20;
Bytes SegmentName(uint64_t id, char* buffer);
// False: not the name of a segment.
bool ParseSegmentName(Bytes name, uint64_t* id);

}  // namespace pure::store
