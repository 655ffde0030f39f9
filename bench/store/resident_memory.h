#pragma once

// The memory of this process that is resident, as the kernel counts it.

#include <cstdint>
#include <optional>
#include <string_view>

namespace pure::bench {

struct ResidentMemory {
  uint64_t own_bytes = 0;   // anonymous: heap and stacks
  uint64_t file_bytes = 0;  // pages of mapped files, which the page cache has anyway

  uint64_t all() const { return own_bytes + file_bytes; }
};

// Nothing: the kernel does not tell. Cost: a file of /proc is read.
std::optional<ResidentMemory> ReadResidentMemory();

// From the text of /proc/PID/status.
std::optional<ResidentMemory> ParseResidentMemory(std::string_view status);

}  // namespace pure::bench
