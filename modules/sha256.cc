#include "modules/sha256.h"

#include <bearssl_hash.h>

#include "absl/strings/escaping.h"

namespace pure::modules {

std::string Sha256Hex(Bytes text) {
  br_sha256_context context;
  br_sha256_init(&context);
  br_sha256_update(&context, text.data(), text.size());
  char sum[br_sha256_SIZE];
  br_sha256_out(&context, sum);
  return absl::BytesToHexString(Bytes(sum, sizeof(sum)));
}

}  // namespace pure::modules
