#pragma once

// ShareStored: finds what of a value is stored already, so that it is not written again.

#include "absl/types/span.h"
#include "runtime/bytes.h"
#include "runtime/result.h"
#include "store/stored_extent.h"
#include "store/value_parts.h"

namespace pure::store {

// Splits the value that `pieces` are into parts: those that lie in the mapped bytes of `lent`
// become stored parts, the rest new ones. A short stored part beside new bytes is written again
// with them, so that many small changes do not leave many small extents. An extent that is cut is
// checked first, and a stored byte never gets a checksum that was computed from what was read. kOk;
// kStorage: an extent that is cut is damaged or unreadable.
Result ShareStored(absl::Span<const Bytes> pieces, absl::Span<const StoredExtent> lent,
                   ValueParts* parts);

}  // namespace pure::store
