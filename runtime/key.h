#pragma once

// Key: a document's name by value, 1 to 64 bytes of A-Za-z0-9-_ (checked by whoever makes it from
// input). It travels with a request, so that nothing has to keep the request head alive.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/base/attributes.h"
#include "runtime/bytes.h"
#include "runtime/check.h"
#include "runtime/limits.h"

namespace pure {

class Key {
 public:
  Key() = default;
  // REQUIRES: text.size() <= kKeyBytesMax.
  explicit Key(Bytes text) : size_(static_cast<uint8_t>(text.size())) {
    PURE_CHECK(text.size() <= kKeyBytesMax, "a key is longer than 64 bytes");
    std::copy(text.begin(), text.end(), data_);
  }

  Bytes bytes() const ABSL_ATTRIBUTE_LIFETIME_BOUND { return Bytes(data_, size_); }
  friend bool operator==(const Key& a, const Key& b) { return a.bytes() == b.bytes(); }

 private:
  uint8_t size_ = 0;
  char data_[kKeyBytesMax];
};

// True for 1 to 64 bytes of A-Za-z0-9-_.
bool IsKey(Bytes text);

}  // namespace pure
