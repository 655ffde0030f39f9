// What the store costs: a read of 1.5 KB, a lone durable commit beside the bare sync that nobody
// can beat, memory per key.
//
// Ratios within one run count: compare LoneCommit with BareSync.

#include <malloc.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "benchmark/benchmark.h"
#include "runtime/check.h"
#include "store/background.h"
#include "store/extent_store.h"
#include "store/files.h"
#include "store/format.h"
#include "store/index.h"
#include "store/posix/posix_files.h"
#include "store/posix/temporary_directory.h"
#include "tests/testing/seeded_entropy.h"
#include "tests/testing/simulated_clock.h"

namespace pure::store {
namespace {

class OpenStore {
 public:
  OpenStore() {
    auto directory = OpenDirectory(temporary_.Path("store"));
    PURE_CHECK(directory.ok(), "the directory opens");
    auto store = ExtentStore::Open(*std::move(directory), {.entropy = &entropy_});
    PURE_CHECK(store.ok(), "the store opens");
    store_ = *std::move(store);
    background_ = std::make_unique<Background>(store_.get(), &clock_);
    handle_ = store_->NewHandle();
  }
  StoreHandle* handle() { return handle_.get(); }
  void Write(Bytes key, uint64_t base, Bytes value) {
    PURE_CHECK(handle_->Stage(key, base, absl::MakeConstSpan(&value, 1)) == Result::kOk &&
                   handle_->Commit() == Result::kOk,
               "the save succeeds");
  }

 private:
  TemporaryDirectory temporary_;
  pure::testing::SeededEntropy entropy_{1};
  pure::testing::SimulatedClock clock_;
  std::unique_ptr<ExtentStore> store_;
  std::unique_ptr<Background> background_;
  std::unique_ptr<StoreHandle> handle_;
};

void FindOf1500Bytes(benchmark::State& state) {
  OpenStore store;
  for (int i = 0; i < 1000; ++i) store.Write(absl::StrCat("key", i), 0, std::string(1500, 'v'));
  std::vector<std::string> keys;
  for (int i = 0; i < 1000; ++i) keys.push_back(absl::StrCat("key", i));
  size_t next = 0;
  for (auto _ : state) {
    store.handle()->TakeLook();
    Found found;
    benchmark::DoNotOptimize(store.handle()->Find(keys[next], &found) == Result::kOk);
    benchmark::DoNotOptimize(found.value.spans().data());
    next = (next + 1) % keys.size();
  }
}
BENCHMARK(FindOf1500Bytes);

void LoneCommit(benchmark::State& state) {
  OpenStore store;
  const std::string value(64, 'v');
  uint64_t revision = 0;
  for (auto _ : state) store.Write("key", revision++, value);
}
BENCHMARK(LoneCommit)->UseRealTime();

// One pwrite and fdatasync of 4 KiB into a preallocated, zeroed file.
void BareSync(benchmark::State& state) {
  constexpr uint64_t kFileBytes = 64u << 20;
  TemporaryDirectory temporary;
  auto directory = OpenDirectory(temporary.Path("bare"));
  PURE_CHECK(directory.ok(), "the directory opens");
  std::unique_ptr<File> file;
  PURE_CHECK((*directory)->Create("log", &file) == IoError::kNone &&
                 file->Allocate(kFileBytes) == IoError::kNone,
             "the file is made");
  const std::string block(kBlockBytes, 'b');
  const std::string zeros(1u << 20, '\0');
  uint64_t written_bytes = 0;
  for (uint64_t at = 0; at < kFileBytes; at += zeros.size()) {
    PURE_CHECK(file->Write(at, {Bytes(zeros)}, &written_bytes) == IoError::kNone, "it is zeroed");
  }
  PURE_CHECK(file->Sync() == IoError::kNone, "it is durable");
  uint64_t at = 0;
  for (auto _ : state) {
    PURE_CHECK(file->Write(at, {Bytes(block)}, &written_bytes) == IoError::kNone &&
                   file->Sync() == IoError::kNone,
               "the block is durable");
    at = (at + kBlockBytes) % kFileBytes;
  }
}
BENCHMARK(BareSync)->UseRealTime();

// Bytes of memory per key of 16 bytes with a value of one extent.
void MemoryPerKey(benchmark::State& state) {
  constexpr uint64_t kKeys = 1000000;
  for (auto _ : state) {
    const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    auto index = std::make_unique<Index>();
    for (uint64_t i = 0; i < kKeys; ++i) {
      const StoredExtent extent{.length = 100};
      const std::string key = absl::StrCat(1000000000000000 + i);
      bool replaced = false;
      (void)index->Load(key, {.revision = 1, .seq = i + 1, .extents = {&extent, 1}}, &replaced);
    }
    const size_t taken = mallinfo2().uordblks + mallinfo2().hblkhd - before;
    state.counters["bytes_per_key"] = static_cast<double>(taken) / kKeys;
  }
}
BENCHMARK(MemoryPerKey)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pure::store
