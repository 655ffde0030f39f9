// libFuzzer entry: a block of a checkpoint, or its header, with checksums that hold. Octet 0
// chooses which; of a block, octet 1 is the number of versions.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "runtime/bytes.h"
#include "store/checkpoint_format.h"
#include "store/format.h"
#include "store/wire.h"

namespace pure::store {
namespace {

// What was understood is what is written.
void ReadBlock(Bytes input) {
  if (input.empty()) return;
  const Bytes body = input.substr(1);
  const CheckpointBlockHeader header{.body_bytes = static_cast<uint32_t>(body.size()),
                                     .versions = static_cast<uint8_t>(input[0]),
                                     .body_crc = Crc(body)};
  std::vector<char> written;
  const bool sound = ReadCheckpointBody(
      header, body,
      [&](const CheckpointVersion& version, absl::Span<const CheckpointExtent> extents) {
        AppendCheckpointVersion(version, extents, &written);
        return true;
      });
  if (sound && Bytes(written.data(), written.size()) != body) std::abort();
}

void ReadHeader(Bytes input) {
  std::string bytes(kCheckpointHeaderBytes, '\0');
  input.copy(bytes.data(), bytes.size());
  CheckpointHeader header;
  (void)DecodeCheckpointHeader(bytes, &header);
  PutU32(bytes.data() + kCheckpointHeaderBytes - 4,
         Crc(Bytes(bytes).substr(0, kCheckpointHeaderBytes - 4)));
  if (DecodeCheckpointHeader(bytes, &header) != Decoded::kOk) return;
  std::string written(kCheckpointHeaderBytes, '\0');
  EncodeCheckpointHeader(header, absl::MakeSpan(written));
  if (written != bytes) std::abort();
  std::vector<uint64_t> ids;
  (void)DecodeCheckpointSegments(header, input, &ids);
}

}  // namespace
}  // namespace pure::store

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const pure::Bytes input(reinterpret_cast<const char*>(data), size);
  if (input.empty()) return 0;
  if ((input[0] & 1) == 0) {
    pure::store::ReadBlock(input.substr(1));
  } else {
    pure::store::ReadHeader(input.substr(1));
  }
  return 0;
}
