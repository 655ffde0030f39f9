#include "transport/deadlines.h"

#include <utility>

namespace pure::transport {

Deadlines::Deadlines(size_t count) : index_(count, kOut), wanted_ns_(count, kNever) {
  heap_.reserve(count);
}

void Deadlines::Set(uint32_t number, int64_t deadline_ns) {
  wanted_ns_[number] = deadline_ns;
  if (deadline_ns == kNever) return;
  if (index_[number] == kOut) {
    index_[number] = static_cast<uint32_t>(heap_.size());
    heap_.push_back({deadline_ns, number});
    SiftUp(heap_.size() - 1);
  } else if (deadline_ns < heap_[index_[number]].at_ns) {
    heap_[index_[number]].at_ns = deadline_ns;
    SiftUp(index_[number]);
  }
}

bool Deadlines::PopExpired(int64_t now_ns, uint32_t* number) {
  while (!heap_.empty() && heap_.front().at_ns <= now_ns) {
    const uint32_t first = heap_.front().number;
    const int64_t wanted_ns = wanted_ns_[first];
    if (wanted_ns <= now_ns) {
      PopFront();
      wanted_ns_[first] = kNever;
      *number = first;
      return true;
    }
    if (wanted_ns == kNever) {
      PopFront();
    } else {
      heap_.front().at_ns = wanted_ns;
      SiftDown(0);
    }
  }
  return false;
}

void Deadlines::Place(size_t index, const Entry& entry) {
  heap_[index] = entry;
  index_[entry.number] = static_cast<uint32_t>(index);
}

void Deadlines::SiftUp(size_t index) {
  const Entry entry = heap_[index];
  while (index > 0 && entry.at_ns < heap_[(index - 1) / 2].at_ns) {
    Place(index, heap_[(index - 1) / 2]);
    index = (index - 1) / 2;
  }
  Place(index, entry);
}

void Deadlines::SiftDown(size_t index) {
  const Entry entry = heap_[index];
  for (;;) {
    size_t child = 2 * index + 1;
    if (child + 1 < heap_.size() && heap_[child + 1].at_ns < heap_[child].at_ns) ++child;
    if (child >= heap_.size() || entry.at_ns <= heap_[child].at_ns) break;
    Place(index, heap_[child]);
    index = child;
  }
  Place(index, entry);
}

void Deadlines::PopFront() {
  index_[heap_.front().number] = kOut;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (heap_.empty()) return;
  Place(0, last);
  SiftDown(0);
}

}  // namespace pure::transport
