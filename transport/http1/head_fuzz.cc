// libFuzzer entry: the first octets choose the limit and where the rest, a request, is cut. Stops
// when the parser and the reference parser disagree.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>

#include "runtime/bytes.h"
#include "transport/http1/testing/agreement.h"

namespace pure::http1 {
namespace {

constexpr size_t kChoiceBytes = 3;
constexpr size_t kLimitBytes = 4096;

void Compare(Bytes input) {
  if (input.size() < kChoiceBytes) return;
  const auto choice = [input](size_t at) { return static_cast<uint8_t>(input[at]); };
  const Bytes request = input.substr(kChoiceBytes);
  const size_t limit = choice(0) == 0 ? kLimitBytes : choice(0) * size_t{4};
  size_t cuts[] = {request.size() * choice(1) / 256, request.size() * choice(2) / 256};
  std::sort(std::begin(cuts), std::end(cuts));
  const std::string disagreement = testing::Disagreement(request, cuts, limit);
  if (disagreement.empty()) return;
  std::fprintf(stderr, "%s\n", disagreement.c_str());
  std::abort();
}

}  // namespace
}  // namespace pure::http1

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  pure::http1::Compare(pure::Bytes(reinterpret_cast<const char*>(data), size));
  return 0;
}
