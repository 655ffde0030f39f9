#include "tests/testing/allocation_counter.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PURE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define PURE_SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(PURE_SANITIZED)
#define PURE_COUNT_MALLOC 1
#else
#define PURE_COUNT_MALLOC 0
#endif

namespace {

// initial-exec: reading them must not allocate, as a thread's first look at dynamic thread-local
// storage does.
__attribute__((tls_model("initial-exec"))) thread_local uint64_t thread_allocations = 0;
__attribute__((tls_model("initial-exec"))) thread_local uint64_t thread_bytes = 0;
std::atomic<uint64_t> process_allocations{0};
std::atomic<uint64_t> process_bytes{0};

void Count(size_t size) {
  ++thread_allocations;
  thread_bytes += size;
  process_allocations.fetch_add(1, std::memory_order_relaxed);
  process_bytes.fetch_add(size, std::memory_order_relaxed);
}

}  // namespace

#if PURE_COUNT_MALLOC

// glibc's own names for what is replaced here.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* data, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* data);

void* malloc(size_t size) {
  Count(size);
  return __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
  Count(count * size);
  return __libc_calloc(count, size);
}

void* realloc(void* data, size_t size) {
  Count(size);
  return __libc_realloc(data, size);
}

void* memalign(size_t alignment, size_t size) {
  Count(size);
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void** data, size_t alignment, size_t size) {
  void* const given = memalign(alignment, size);
  if (given == nullptr) return ENOMEM;
  *data = given;
  return 0;
}

void free(void* data) { __libc_free(data); }
}  // extern "C"

#else

namespace {

void* CountedNew(size_t size, size_t alignment) {
  Count(size);
  void* data = nullptr;
  if (alignment <= alignof(std::max_align_t)) {
    data = std::malloc(size == 0 ? 1 : size);
  } else if (posix_memalign(&data, alignment, size) != 0) {
    data = nullptr;
  }
  if (data == nullptr)
    std::abort();  // a test has no use for a throw that the code under test can not catch
  return data;
}

}  // namespace

void* operator new(size_t size) { return CountedNew(size, 1); }
void* operator new[](size_t size) { return CountedNew(size, 1); }
void* operator new(size_t size, std::align_val_t alignment) {
  return CountedNew(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment) {
  return CountedNew(size, static_cast<size_t>(alignment));
}
void* operator new(size_t size, const std::nothrow_t&) noexcept { return CountedNew(size, 1); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return CountedNew(size, 1); }
void operator delete(void* data) noexcept { std::free(data); }
void operator delete[](void* data) noexcept { std::free(data); }
void operator delete(void* data, size_t) noexcept { std::free(data); }
void operator delete[](void* data, size_t) noexcept { std::free(data); }
void operator delete(void* data, std::align_val_t) noexcept { std::free(data); }
void operator delete[](void* data, std::align_val_t) noexcept { std::free(data); }
void operator delete(void* data, size_t, std::align_val_t) noexcept { std::free(data); }
void operator delete[](void* data, size_t, std::align_val_t) noexcept { std::free(data); }
void operator delete(void* data, const std::nothrow_t&) noexcept { std::free(data); }
void operator delete[](void* data, const std::nothrow_t&) noexcept { std::free(data); }

#endif  // PURE_COUNT_MALLOC

namespace pure::testing {

AllocationCounter::AllocationCounter(Scope scope) : scope_(scope), start_(Now(scope)) {}

uint64_t AllocationCounter::allocations() const {
  return Now(scope_).allocations - start_.allocations;
}

uint64_t AllocationCounter::bytes() const { return Now(scope_).bytes - start_.bytes; }

void AllocationCounter::Reset() { start_ = Now(scope_); }

bool AllocationCounter::counts_malloc() { return PURE_COUNT_MALLOC != 0; }

AllocationCounter::Totals AllocationCounter::Now(Scope scope) {
  if (scope == Scope::kThread) return {thread_allocations, thread_bytes};
  return {process_allocations.load(std::memory_order_relaxed),
          process_bytes.load(std::memory_order_relaxed)};
}

}  // namespace pure::testing
