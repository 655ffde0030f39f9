#pragma once

// Arena: memory for what one burst makes: decoded arguments, lists of pieces. Taken piece by piece,
// returned at once.
//
// Thread: one thread's. Cost: an allocation is a few instructions; the first block is kept for
// good, larger needs are returned at Reset or Rewind.

#include <cstddef>
#include <cstdint>

namespace pure::modules {

class Arena {
 public:
  // A point in its use.
  struct Mark {
    void* block = nullptr;
    size_t used_bytes = 0;
  };

  // Holds at most `limit_bytes` and one block more, the first.
  explicit Arena(size_t limit_bytes) : limit_bytes_(limit_bytes) {}
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Memory for any type, not initialised; null when the limit would be passed (then at_limit()
  // until the next Reset) or there is no memory.
  void* Allocate(size_t bytes);
  template <typename T>
  T* AllocateArray(size_t count) {
    return static_cast<T*>(count > limit_bytes_ / sizeof(T) ? AtLimit()
                                                            : Allocate(count * sizeof(T)));
  }
  bool at_limit() const { return at_limit_; }

  Mark Now() const;
  // Returns everything that was taken since the mark.
  void Rewind(Mark mark);
  // Returns everything.
  void Reset();

 private:
  struct Block;
  void* AtLimit();
  void DropNewest();

  const size_t limit_bytes_;
  Block* newest_ = nullptr;
  size_t held_bytes_ = 0;  // of all blocks
  bool at_limit_ = false;
};

}  // namespace pure::modules
