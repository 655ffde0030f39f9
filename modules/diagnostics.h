#pragma once

// Diagnostics: the errors of one module text as the passes find them, by octet offset; and the
// nearest known name for a misspelt one.
//
// Cost: at most kDiagnosticsMax errors are kept and given suggestions, so a hopeless file costs no
// more than a bad one.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "runtime/bytes.h"

namespace pure::modules {

inline constexpr size_t kDiagnosticsMax = 100;

struct Diagnostic {
  uint32_t offset = 0;  // octets from the start of the text
  std::string what;
  std::string help;  // what to write instead; may be empty
};

class Diagnostics {
 public:
  // Keeps an error. A second one at the same place is left out: it would be a consequence of the
  // first.
  void Add(uint32_t offset, std::string what, std::string help = "");

  bool empty() const { return kept_.empty(); }

  // NearestName, or empty when no more errors are kept: suggestions for them would cost time for
  // nothing.
  Bytes Nearest(Bytes name, absl::Span<const Bytes> candidates) const;

  // The errors in the order of the file. When some were left out, one more at the end says so.
  std::vector<Diagnostic> InFileOrder() const;

 private:
  std::vector<Diagnostic> kept_;
  bool overflowed_ = false;
};

// The candidate that differs from `name` by a slip of the hand (few letters wrong, missing, extra
// or swapped); empty when none does.
Bytes NearestName(Bytes name, absl::Span<const Bytes> candidates);

}  // namespace pure::modules
