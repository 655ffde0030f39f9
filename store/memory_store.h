#pragma once

// MemoryStore: the store port in memory, for tests. Nothing is durable; saves can be made to fail.
//
// Threads: as store.h; one lock inside. Lifetime: what was lent outlives the store.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "runtime/bytes.h"
#include "runtime/result.h"
#include "store/store.h"

namespace pure::store {

class MemoryStore final : public Store {
 public:
  // `save_bytes_max`: payload of one save.
  explicit MemoryStore(size_t save_bytes_max = 64u << 20);
  ~MemoryStore() override;

  std::unique_ptr<StoreHandle> NewHandle() override;
  Result List(
      Bytes prefix,
      const std::function<bool(Bytes key, uint64_t revision, size_t size_bytes)>& visit) override;
  StoreState state() const override;
  absl::Status failure() const override;
  StoreCounters counters() const override;
  absl::Status Close() override;

  // The next `count` saves end with `result` and apply nothing; kUncertain poisons the store, as a
  // failed sync does.
  void FailSaves(int count, Result result);
  // From now on Find ends with kStorage for this key, as if its bytes were damaged.
  void Damage(Bytes key);

 private:
  class Core;
  class Handle;
  const std::unique_ptr<Core> core_;
};

}  // namespace pure::store
