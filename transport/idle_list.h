#pragma once

// IdleList: the connections that have no request, longest idle first. A ring of links with one
// place more than there are numbers, as its head; a number that is not in the list links to itself.
//
// Thread: its shard's. Cost: O(1), no allocation after construction.

#include <cstdint>
#include <vector>

namespace pure::transport {

class IdleList {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // For numbers 0 to count - 1.
  explicit IdleList(uint32_t count) : links_(count + 1), head_(count) {
    for (uint32_t number = 0; number <= count; ++number) links_[number] = {number, number};
  }

  bool Contains(uint32_t number) const { return links_[number].next != number; }

  // The one that is idle longest, or kNone.
  uint32_t First() const { return links_[head_].next == head_ ? kNone : links_[head_].next; }

  // Appends it, unless it is there.
  void Add(uint32_t number) {
    if (Contains(number)) return;
    const uint32_t last = links_[head_].previous;
    links_[number] = {last, head_};
    links_[last].next = number;
    links_[head_].previous = number;
  }

  // Takes it out, if it is there.
  void Remove(uint32_t number) {
    const Link link = links_[number];
    links_[link.previous].next = link.next;
    links_[link.next].previous = link.previous;
    links_[number] = {number, number};
  }

 private:
  struct Link {
    uint32_t previous;
    uint32_t next;
  };
  std::vector<Link> links_;
  const uint32_t head_;
};

}  // namespace pure::transport
