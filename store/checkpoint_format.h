#pragma once

// The bytes of a checkpoint file: the newest version of each key, as far as sealed segments hold
// it. docs/store-format.md describes them. All numbers are little-endian; every byte is set.
//
// A checkpoint is a cache of what the segments say: opening without it takes longer, and that is
// all. Readers take any bytes, as those of format.h.
//
// Thread: any; no state.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "runtime/bytes.h"
#include "store/format.h"

namespace pure::store {

inline constexpr size_t kCheckpointHeaderBytes = 96;
inline constexpr size_t kCheckpointBlockHeaderBytes = 16;
// Writers end a block once it is this long.
inline constexpr size_t kCheckpointBlockBytes = 256u << 10;

// ---- Header: the first bytes; written last ----

struct CheckpointHeader {
  StoreUuid uuid;
  uint64_t id = 0;          // of the file; no segment and no other checkpoint has it
  uint64_t covers_seq = 0;  // of the last frame whose entries it stands for
  uint64_t versions = 0;
  uint64_t blocks_end = 0;  // blocks lie in [kCheckpointHeaderBytes, blocks_end), then the segments
  uint32_t segment_count = 0;  // ids of 8 bytes each, and their CRC
};

void EncodeCheckpointHeader(const CheckpointHeader& header, MutableBytes bytes);
Decoded DecodeCheckpointHeader(Bytes bytes, CheckpointHeader* header);

// ---- Segments: what the numbers in the versions stand for ----

inline size_t CheckpointSegmentsBytes(size_t count) { return count * 8 + 4; }
// CRCs are bound to the file and the offset in it, as those of extents are.
void EncodeCheckpointSegments(const CheckpointHeader& header, absl::Span<const uint64_t> ids,
                              MutableBytes bytes);
bool DecodeCheckpointSegments(const CheckpointHeader& header, Bytes bytes,
                              std::vector<uint64_t>* ids);

// ---- Blocks ----

struct CheckpointExtent {
  uint32_t segment = 0;  // its number
  uint32_t length = 0;
  uint64_t offset = 0;
  uint32_t checksum = 0;
};

struct CheckpointVersion {
  Bytes key;
  EntryKind kind = EntryKind::kWrite;
  uint64_t revision = 0;
  uint32_t home = 0;  // number of the segment that holds the entry
};

// Appends a version to a block's body.
void AppendCheckpointVersion(const CheckpointVersion& version,
                             absl::Span<const CheckpointExtent> extents, std::vector<char>* body);

struct CheckpointBlockHeader {
  uint32_t body_bytes = 0;
  uint32_t versions = 0;
  uint32_t body_crc = 0;
};

// REQUIRES: bytes.size() == kCheckpointBlockHeaderBytes.
void EncodeCheckpointBlockHeader(const CheckpointHeader& file, uint64_t offset, uint32_t versions,
                                 Bytes body, MutableBytes bytes);
bool DecodeCheckpointBlockHeader(const CheckpointHeader& file, uint64_t offset, Bytes bytes,
                                 CheckpointBlockHeader* header);
// False: the body is not the one that the header names, or `visit` returned false.
bool ReadCheckpointBody(const CheckpointBlockHeader& header, Bytes body,
                        absl::FunctionRef<bool(const CheckpointVersion& version,
                                               absl::Span<const CheckpointExtent> extents)>
                            visit);

// ---- Names ----

// "checkpoint-" and 16 hexadecimal digits.
inline constexpr size_t kCheckpointNameBytes = 27;
Bytes CheckpointName(uint64_t id, char* buffer);
bool ParseCheckpointName(Bytes name, uint64_t* id);

}  // namespace pure::store
