#include "modules/arena.h"

#include <algorithm>
#include <new>

namespace pure::modules {
namespace {

constexpr size_t kBlockBytes = 16 << 10;
constexpr size_t kAlignment = alignof(std::max_align_t);

}  // namespace

struct alignas(std::max_align_t) Arena::Block {
  Block* older;
  size_t size_bytes;  // that can be taken
  size_t used_bytes;
  char* data() { return reinterpret_cast<char*>(this + 1); }
};

Arena::~Arena() {
  while (newest_ != nullptr) DropNewest();
}

void Arena::DropNewest() {
  Block* const block = newest_;
  newest_ = block->older;
  held_bytes_ -= block->size_bytes;
  ::operator delete(block);
}

void* Arena::AtLimit() {
  at_limit_ = true;
  return nullptr;
}

void* Arena::Allocate(size_t bytes) {
  if (bytes > limit_bytes_) return AtLimit();
  const size_t rounded = std::max<size_t>(1, (bytes + kAlignment - 1) / kAlignment) * kAlignment;
  if (newest_ == nullptr || newest_->size_bytes - newest_->used_bytes < rounded) {
    const size_t size_bytes = std::max(rounded, kBlockBytes);
    if (held_bytes_ + size_bytes > limit_bytes_ + kBlockBytes) return AtLimit();
    void* const memory = ::operator new(sizeof(Block) + size_bytes, std::nothrow);
    if (memory == nullptr) return nullptr;
    newest_ = new (memory) Block{newest_, size_bytes, 0};
    held_bytes_ += size_bytes;
  }
  char* const taken = newest_->data() + newest_->used_bytes;
  newest_->used_bytes += rounded;
  return taken;
}

Arena::Mark Arena::Now() const { return {newest_, newest_ == nullptr ? 0 : newest_->used_bytes}; }

void Arena::Rewind(Mark mark) {
  if (mark.block == nullptr) return Reset();
  while (newest_ != mark.block) DropNewest();
  newest_->used_bytes = mark.used_bytes;
  at_limit_ = false;
}

void Arena::Reset() {
  while (newest_ != nullptr && (newest_->older != nullptr || newest_->size_bytes > kBlockBytes)) {
    DropNewest();
  }
  if (newest_ != nullptr) newest_->used_bytes = 0;
  at_limit_ = false;
}

}  // namespace pure::modules
