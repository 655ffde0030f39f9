#include "transport/epoll/receive_buffers.h"

#include <sys/mman.h>

#include "runtime/check.h"

namespace pure::transport {

ReceiveBuffers::ReceiveBuffers(size_t buffer_bytes, uint32_t count)
    : buffer_bytes_(buffer_bytes), count_(count), free_(std::make_unique<uint32_t[]>(count)) {
  PURE_CHECK(buffer_bytes > 0 && count > 0, "a pool of nothing");
  for (uint32_t i = 0; i < count; ++i) free_[i] = count - 1 - i;
  void* const slab = mmap(nullptr, buffer_bytes * count, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (slab != MAP_FAILED) slab_ = static_cast<char*>(slab);
}

ReceiveBuffers::~ReceiveBuffers() {
  if (slab_ != nullptr) munmap(slab_, buffer_bytes_ * count_);
}

uint32_t ReceiveBuffers::Take() {
  if (lent_ == count_) return kNone;
  ++lent_;
  return free_[count_ - lent_];
}

void ReceiveBuffers::Give(uint32_t buffer) {
  PURE_CHECK(lent_ > 0 && buffer < count_, "a buffer is returned that was not lent");
  free_[count_ - lent_] = buffer;
  --lent_;
}

}  // namespace pure::transport
