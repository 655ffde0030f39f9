#include "store/fuzz/reseal.h"

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"
#include "runtime/bytes.h"
#include "store/format.h"
#include "store/manifest.h"
#include "store/wire.h"

namespace pure::store {
namespace {

// Of a frame's header (docs/store-format.md).
constexpr size_t kChainAt = 56;
constexpr size_t kEntriesBytesAt = 68;
constexpr size_t kEntriesCrcAt = 72;

// The last 4 octets cover the others.
void SealEnd(std::string* bytes) {
  if (bytes->size() < 4) return;
  PutU32(bytes->data() + bytes->size() - 4, Crc(Bytes(*bytes).substr(0, bytes->size() - 4)));
}

// Seals the header at `offset`; true if it is one now.
bool ResealFrame(std::string* segment, size_t offset, uint64_t chain, FrameHeader* header) {
  std::string bytes = segment->substr(offset, kFrameHeaderBytes);
  if (bytes.size() < kFrameHeaderBytes) return false;
  PutU64(bytes.data() + kChainAt, chain);
  const uint32_t entries_bytes = GetU32(bytes.data() + kEntriesBytesAt);
  const Bytes entries = Bytes(*segment).substr(offset + kFrameHeaderBytes, entries_bytes);
  PutU32(bytes.data() + kEntriesCrcAt, Crc(entries));
  ResealFrameHeader(&bytes);
  if (DecodeFrameHeader(bytes, header) != Decoded::kOk || header->offset != offset) return false;
  segment->replace(offset, bytes.size(), bytes);
  const uint64_t footer = header->payload_offset() + header->payload_bytes;
  if (footer + kFrameFooterBytes <= segment->size()) {
    EncodeFrameFooter(*header, absl::MakeSpan(*segment).subspan(footer, kFrameFooterBytes));
  }
  return true;
}

}  // namespace

void ResealManifest(std::string* manifest) { SealEnd(manifest); }
void ResealSegmentHeader(std::string* block) { SealEnd(block); }
void ResealFrameHeader(std::string* header) { SealEnd(header); }

void Reseal(DirectoryFiles* files) {
  for (auto& [name, content] : *files) {
    uint64_t id = 0;
    if (name == kManifestName) ResealManifest(&content);
    if (!ParseSegmentName(name, &id)) continue;
    std::string block = content.substr(0, kSegmentHeaderBytes);
    ResealSegmentHeader(&block);
    content.replace(0, block.size(), block);
    // The first frame of a segment keeps the chain that it names.
    FrameHeader header;
    const Bytes first = Bytes(content).substr(std::min(content.size(), kSegmentHeaderBytes));
    uint64_t chain = first.size() < kFrameHeaderBytes ? 0 : GetU64(first.data() + kChainAt);
    for (size_t at = kSegmentHeaderBytes; at < content.size(); at += kBlockBytes) {
      if (ResealFrame(&content, at, chain, &header)) chain = header.chain();
    }
  }
}

}  // namespace pure::store
