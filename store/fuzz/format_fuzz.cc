// libFuzzer entry: the parts of a segment, with checksums that hold. Octet 0 chooses which part,
// the others change one, or are the entries of a frame.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "runtime/bytes.h"
#include "store/format.h"
#include "store/fuzz/edited_store.h"
#include "store/fuzz/reseal.h"

namespace pure::store {
namespace {

// The first segment of a store that was closed.
Bytes FirstSegment() {
  for (const auto& [name, content] : BaseStore(1)) {
    uint64_t id = 0;
    if (ParseSegmentName(name, &id)) return content;
  }
  std::abort();
}

// What was understood is what is written.
void ReadSegmentHeader(Bytes edits) {
  std::string block(FirstSegment().substr(0, kSegmentHeaderBytes));
  Overlay(edits, &block);
  ResealSegmentHeader(&block);
  SegmentHeader header;
  if (DecodeSegmentHeader(block, &header) != Decoded::kOk) return;
  std::string written(kSegmentHeaderBytes, '\0');
  EncodeSegmentHeader(header, absl::MakeSpan(written));
  if (written != block) std::abort();
}

void ReadFrameHeader(Bytes edits) {
  std::string bytes(FirstSegment().substr(kSegmentHeaderBytes, kFrameHeaderBytes));
  Overlay(edits, &bytes);
  ResealFrameHeader(&bytes);
  FrameHeader header;
  if (DecodeFrameHeader(bytes, &header) != Decoded::kOk) return;
  if (header.payload_offset() + header.payload_bytes + kFrameFooterBytes >
      header.offset + header.frame_bytes) {
    std::abort();
  }
  std::string footer(kFrameFooterBytes, '\0');
  EncodeFrameFooter(header, absl::MakeSpan(footer));
  if (!FooterMatches(header, footer)) std::abort();
}

void ReadEntries(Bytes input) {
  if (input.empty()) return;
  const Bytes entries = input.substr(1);
  EntryReader reader(entries, static_cast<uint8_t>(input[0]));
  std::string written;
  for (EntryView entry; reader.Next(&entry);) {
    std::vector<DiskExtent> extents;
    for (uint32_t i = 0; i < entry.extent_count; ++i) extents.push_back(entry.extent(i));
    std::string one(EntryBytes(entry.key.size(), extents.size()), '\0');
    (void)EncodeEntry(entry.key, entry.kind, entry.revision, extents, absl::MakeSpan(one));
    written += one;
  }
  if (written.size() > entries.size()) std::abort();
  if (reader.complete() && written.size() != entries.size()) std::abort();
}

void ReadPart(Bytes input) {
  if (input.empty()) return;
  switch (static_cast<uint8_t>(input[0]) % 3) {
    case 0:
      return ReadSegmentHeader(input.substr(1));
    case 1:
      return ReadFrameHeader(input.substr(1));
    case 2:
      return ReadEntries(input.substr(1));
  }
}

}  // namespace
}  // namespace pure::store

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  pure::store::ReadPart(pure::Bytes(reinterpret_cast<const char*>(data), size));
  return 0;
}
