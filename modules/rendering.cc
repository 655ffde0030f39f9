#include "modules/rendering.h"

#include <charconv>
#include <new>

#include "modules/json.h"
#include "modules/limits.h"

namespace pure::modules {
namespace {

void Free(void* memory, void* /*token*/) { ::operator delete(memory); }

// Memory for a rendering, owned by the resource.
Result NewRendering(size_t size_bytes, char** data, Resource* rendering) {
  if (size_bytes > static_cast<size_t>(kAnswerBytesMax)) return Result::kLimit;
  *data = static_cast<char*>(::operator new(size_bytes, std::nothrow));
  if (*data == nullptr) return Result::kAllocation;
  *rendering = Resource(Bytes(*data, size_bytes), &Free, *data, nullptr);
  return Result::kOk;
}

}  // namespace

Result RenderOctets(const Octets& octets, Resource* rendering) {
  if (octets.size_bytes == 0) return Result::kOk;
  char* data = nullptr;
  const Result result = NewRendering(octets.size_bytes, &data, rendering);
  if (result == Result::kOk) CopyOctets(octets, data);
  return result;
}

Result RenderInt(int64_t number, Resource* rendering) {
  char digits[20];  // the longest: -9223372036854775808
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof(digits), number);
  const Bytes text(digits, static_cast<size_t>(end.ptr - digits));
  return RenderOctets(OctetsOf(&text), rendering);
}

Result RenderJsonText(Bytes text, Resource* rendering) {
  char* data = nullptr;
  const Result result = NewRendering(JsonStringSize(text), &data, rendering);
  if (result == Result::kOk) WriteJsonString(text, data);
  return result;
}

}  // namespace pure::modules
