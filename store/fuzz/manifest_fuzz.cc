// libFuzzer entry: a manifest, with a checksum that holds. Octet 0 chooses one to change, or that
// the rest is one.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "runtime/bytes.h"
#include "store/format.h"
#include "store/fuzz/edited_store.h"
#include "store/fuzz/reseal.h"
#include "store/manifest.h"

namespace pure::store {
namespace {

void ReadManifestText(Bytes input) {
  if (input.empty()) return;
  const size_t base = static_cast<uint8_t>(input[0]) % kBaseStores;
  std::string bytes;
  if (base == 0) {
    bytes = std::string(input.substr(1));
  } else {
    bytes = BaseStore(base).at(kManifestName);
    Overlay(input.substr(1), &bytes);
  }
  Manifest manifest;
  uint32_t version = 0;
  (void)DecodeManifest(bytes, &manifest, &version);
  ResealManifest(&bytes);
  if (DecodeManifest(bytes, &manifest, &version) != Decoded::kOk) return;
  // What was understood is what is written.
  const std::string written = EncodeManifest(manifest);
  Manifest again;
  if (DecodeManifest(written, &again, &version) != Decoded::kOk) std::abort();
  if (EncodeManifest(again) != written) std::abort();
}

}  // namespace
}  // namespace pure::store

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  pure::store::ReadManifestText(pure::Bytes(reinterpret_cast<const char*>(data), size));
  return 0;
}
