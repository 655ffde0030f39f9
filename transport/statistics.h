#pragma once

// Statistics: what one shard counts, published once in each turn of its loop for other threads to
// read. Each value is true for some recent moment; values of one shard may be of two neighbouring
// moments.
//
// Thread: written by the shard, read by any. Cost: relaxed stores of a few words in one cache line
// group of its own.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace pure::transport {

enum class Count : uint8_t {
  kActive,
  kRetainedBytes,
  kRetainedBytesPeak,
  kAccepted,
  kRequests,
  kBursts,
  kBurstEvents,
  kExpired,
  kBudgetRejections,
  kBorrowedOutputBytes,
  kTickets,
  kReleases,
};
inline constexpr size_t kCounts = 12;

using Counts = std::array<uint64_t, kCounts>;

class alignas(64) Statistics {
 public:
  void Publish(const Counts& counts) {
    for (size_t i = 0; i < kCounts; ++i) counts_[i].store(counts[i], std::memory_order_relaxed);
  }
  uint64_t Of(Count count) const {
    return counts_[static_cast<size_t>(count)].load(std::memory_order_relaxed);
  }

 private:
  std::array<std::atomic<uint64_t>, kCounts> counts_{};
};

}  // namespace pure::transport
