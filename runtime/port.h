#pragma once

// The seams through which the core's users reach the world: time, wake-ups, randomness, memory.
// Each has a real implementation (platforms/linux) and a simulated one (tests/testing), chosen
// where the program is put together.

#include <cstddef>
#include <cstdint>

#include "runtime/bytes.h"

namespace pure {

// Thread: any.
class Clock {
 public:
  virtual ~Clock() = default;
  // Nanoseconds on a clock that never goes back and that wall-clock changes do not touch. Deadlines
  // use it.
  virtual int64_t MonotonicNs() = 0;
  // Milliseconds since 1970-01-01 UTC. Only for what people and clients read (Date); no durable
  // decision.
  virtual int64_t WallMs() = 0;
};

// Ends one thread's wait. Thread: Wake() any, and from a signal handler; the wait itself belongs to
// its transport.
class Waker {
 public:
  virtual ~Waker() = default;
  // The wait that runs now, or else the next one, returns. Several calls before that are one.
  virtual void Wake() = 0;
};

// One thread's wait for others. Thread: Park: one, always the same; Unpark: any.
class Parker {
 public:
  virtual ~Parker() = default;
  // Waits until Unpark, or until `until_ns` of the monotonic clock; INT64_MAX: for ever. Returns at
  // once when Unpark was called since the last return.
  virtual void Park(int64_t until_ns) = 0;
  virtual void Unpark() = 0;
};

// Thread: any.
class Entropy {
 public:
  virtual ~Entropy() = default;
  virtual uint64_t Next() = 0;  // 64 bits, unpredictable to clients in the real one
};

// Where ingress comes from. Thread: its runtime's.
class Memory {
 public:
  virtual ~Memory() = default;
  // `size` bytes, not initialised, or null when there is no memory. REQUIRES: size > 0.
  virtual char* Allocate(size_t size) = 0;
  // REQUIRES: `data` came from Allocate(size) and was not freed.
  virtual void Free(char* data, size_t size) = 0;
};

}  // namespace pure
