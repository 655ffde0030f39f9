#pragma once

// RawEnd: finds the end of an element that only its end tag ends: a script, a style, a title
// ("HTML", WHATWG, sections 13.2.5.9 to 13.2.5.31).
//
// Thread: one at a time. Cost: O(1) for each octet.

#include <cstdint>

#include "runtime/bytes.h"

namespace pure::modules {

class RawEnd {
 public:
  enum class Found : uint8_t {
    kNothing,
    kEnd,      // the name of the end tag is whole: the octet is behind it
    kStray,    // a < that began no end tag
    kComment,  // <!--, which in a script changes where it ends
  };

  // REQUIRES: the same name each time, in lower case.
  Found Take(char c, Bytes name);

  // Whether the octets before may begin the end tag.
  bool begun() const { return matched_ > 0; }

  friend bool operator==(const RawEnd&, const RawEnd&) = default;

 private:
  bool Matches(char c, Bytes name) const;

  uint8_t matched_ = 0;  // octets of </name
  uint8_t opened_ = 0;   // octets of <!--
};

}  // namespace pure::modules
