#pragma once

// RecordMemory: memory for the records of an index. What is freed is kept for the next record of
// its size, up to a limit, so that replacing a value allocates nothing.
//
// Thread: one at a time (the committer's). Lifetime: everything taken is given back before its end.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace pure::store {

class RecordMemory {
 public:
  RecordMemory() = default;
  ~RecordMemory() {
    for (SizeClass& size_class : classes_) {
      while (size_class.spare != nullptr) ::operator delete(Pop(&size_class));
    }
  }
  RecordMemory(const RecordMemory&) = delete;
  RecordMemory& operator=(const RecordMemory&) = delete;

  // Null: no memory. REQUIRES: size > 0.
  void* Take(size_t size) {
    const size_t number = NumberOf(size);
    if (number < kClasses && classes_[number].spare != nullptr) return Pop(&classes_[number]);
    const size_t rounded = RoundedSize(size);
    void* const memory = ::operator new(rounded, std::nothrow);
    if (memory != nullptr) Count(static_cast<int64_t>(rounded));
    return memory;
  }

  // REQUIRES: `memory` came from Take(size).
  void Give(void* memory, size_t size) {
    const size_t number = NumberOf(size);
    if (number >= kClasses || classes_[number].count == kSparesMax) {
      Count(-static_cast<int64_t>(RoundedSize(size)));
      return ::operator delete(memory);
    }
    SizeClass& size_class = classes_[number];
    size_class.spare = new (memory) Spare{size_class.spare};
    ++size_class.count;
  }

  // From the heap at this time, spares included, as malloc rounds it. Thread: any.
  uint64_t taken_bytes() const {
    return static_cast<uint64_t>(taken_bytes_.load(std::memory_order_relaxed));
  }

 private:
  // What malloc gives: 8 bytes of each 16 are its own, so that these sizes waste nothing.
  static constexpr size_t kStepBytes = 16;
  static constexpr size_t kFirstBytes = 8;
  static constexpr size_t kHeaderBytes = 8;
  static constexpr size_t kClasses = 32;        // up to 512 bytes: a key of 255 with some extents
  static constexpr uint32_t kSparesMax = 2048;  // of one size: a burst of replaced values

  struct Spare {
    Spare* next;
  };
  struct SizeClass {
    Spare* spare = nullptr;
    uint32_t count = 0;
  };

  static size_t NumberOf(size_t size) { return (size + kStepBytes - kFirstBytes - 1) / kStepBytes; }

  static size_t RoundedSize(size_t size) { return NumberOf(size) * kStepBytes + kFirstBytes; }

  void Count(int64_t bytes) {
    taken_bytes_.fetch_add(bytes + (bytes > 0 ? 1 : -1) * int64_t{kHeaderBytes},
                           std::memory_order_relaxed);
  }

  static void* Pop(SizeClass* size_class) {
    Spare* const spare = size_class->spare;
    size_class->spare = spare->next;
    --size_class->count;
    return spare;
  }

  std::array<SizeClass, kClasses> classes_;
  std::atomic<int64_t> taken_bytes_{0};
};

}  // namespace pure::store
