#pragma once

// Deadlines: when each connection of a thread has to be looked at next. An indexed heap whose
// entries may be too early: moving a deadline back costs nothing until the old one comes, so a busy
// keep-alive connection pays for one heap operation in each timeout, not in each request.
//
// Thread: its shard's. Cost: no allocation after construction; Set is O(1) for a later deadline,
// O(log n) else.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pure::transport {

inline constexpr int64_t kNever = INT64_MAX;

class Deadlines {
 public:
  // For numbers 0 to count - 1.
  explicit Deadlines(size_t count);

  // The deadline of `number`; kNever for none.
  void Set(uint32_t number, int64_t deadline_ns);

  // Not later than the earliest deadline; kNever when there is none.
  int64_t Next() const { return heap_.empty() ? kNever : heap_.front().at_ns; }

  // Takes one number whose deadline is `now_ns` or earlier, and forgets its deadline. False: none.
  bool PopExpired(int64_t now_ns, uint32_t* number);

 private:
  struct Entry {
    int64_t at_ns;
    uint32_t number;
  };
  static constexpr uint32_t kOut = UINT32_MAX;

  void Place(size_t index, const Entry& entry);
  void SiftUp(size_t index);
  void SiftDown(size_t index);
  void PopFront();

  std::vector<Entry> heap_;
  std::vector<uint32_t> index_;     // of a number's entry in heap_, or kOut
  std::vector<int64_t> wanted_ns_;  // its true deadline
};

}  // namespace pure::transport
