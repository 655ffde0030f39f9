#pragma once

// Condition: what a write expects of the stored document (RFC 9110 section 13.1, as the document
// contract narrows it). Entity tags compare as bytes with the printed revision, so a tag that no
// revision prints
// ("01", W/"1", "x") is kept as a condition that never holds.

#include <cstdint>

namespace pure {

struct Condition {
  enum class Kind : uint8_t {
    kNone,      // nothing is expected
    kAbsent,    // If-None-Match: *
    kRevision,  // If-Match: "revision"
    kNever,     // If-Match with a tag that is no revision
  };

  Kind kind = Kind::kNone;
  uint64_t revision = 0;  // kRevision only; 1 or more

  // `present`: the document exists; `current`: its revision when it does.
  bool Holds(bool present, uint64_t current) const {
    switch (kind) {
      case Kind::kNone:
        return true;
      case Kind::kAbsent:
        return !present;
      case Kind::kRevision:
        return present && current == revision;
      case Kind::kNever:
        return false;
    }
    return false;
  }
};

}  // namespace pure
