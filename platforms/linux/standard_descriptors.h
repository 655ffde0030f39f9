#pragma once

// The descriptors 0, 1 and 2. A process may be started with some of them closed; then the next
// files that it opens get their numbers, and messages would be written into them.

namespace pure {

// Opens what is closed of them in a way that takes no byte: writing to it fails, reading finds the
// end. False: that failed. Call it first of all.
bool HoldStandardDescriptors();

}  // namespace pure
