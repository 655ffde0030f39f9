#pragma once

// File systems on which a store would not be safe: those over a network and in user space, whose
// locks may not exclude and whose syncs may not store.

#include <cstdint>
#include <string_view>

namespace pure::store {

// The type that statfs(2) gives. Returns an error number; 0: done.
[[nodiscard]] int FileSystemType(int fd, uint64_t* type);

// "NFS", …; empty for a type that is not known to be unsafe.
std::string_view UnsafeFileSystemName(uint64_t type);

}  // namespace pure::store
