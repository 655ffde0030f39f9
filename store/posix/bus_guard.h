#pragma once

// Bus guard: reads mapped memory that may not be there. A page of a mapping that lies beyond the
// end of a shortened file, or that the disk can not deliver, raises SIGBUS: here it is a result.
//
// The handler is the process's, installed once. It takes only faults inside a range that the
// faulting thread is reading through this guard; every other SIGBUS goes to the handler that was
// there before, or ends the process as without it. Whoever installs one later must do likewise.
//
// Method: Butenhof, Programming with POSIX Threads, 6.6; sigaction(2).

#include <cstdint>

#include "runtime/bytes.h"

namespace pure::store {

// Idempotent. Thread: any.
void InstallBusGuard();

// CRC-32C of `bytes`, continued from *crc. False: some page could not be read; *crc is unchanged.
// Thread: any. Cost: a few stores more than the checksum. REQUIRES: InstallBusGuard was called, and
// the thread does not block SIGBUS.
[[nodiscard]] bool GuardedChecksum(Bytes bytes, uint32_t* crc);

}  // namespace pure::store
