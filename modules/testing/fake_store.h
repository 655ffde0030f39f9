#pragma once

// FakeStore: a store handle for tests of the app, over plain maps. Values can be cut into small
// extents, calls can be made to fail, and everything that matters to a test is counted. It keeps
// the rules of store::StoreHandle that an app can see: what FindToStage lends can not be read.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "modules/testing/unreadable_memory.h"
#include "runtime/bytes.h"
#include "runtime/resource.h"
#include "runtime/result.h"
#include "store/store.h"

namespace pure::testing {

class FakeStore final : public store::StoreHandle {
 public:
  FakeStore() = default;

  // Set up and looked at by tests.
  void Put(Bytes key, Bytes value);
  bool Has(Bytes key) const;
  std::string Value(Bytes key) const;
  uint64_t Revision(Bytes key) const;
  void set_extent_bytes(size_t bytes) { extent_bytes_ = bytes; }
  // The next read, or staging, has this result.
  void set_next_read(Result result) { next_read_ = result; }
  void set_next_stage(Result result) { next_stage_ = result; }
  int finds() const { return finds_; }
  int finds_to_stage() const { return finds_to_stage_; }
  int peeks() const { return peeks_; }
  int lent() const { return lent_; }  // resources that are not returned yet
  size_t staged_writes() const { return writes_.size(); }
  // The pieces of a staged write, as they were given.
  const std::vector<Bytes>& pieces(size_t index) const { return writes_[index].pieces; }

  void TakeLook() override {}
  void DropLook() override {}
  Result Find(Bytes key, store::Found* found) override;
  Result FindToStage(Bytes key, store::Found* found) override;
  Result Peek(Bytes key, store::Found* found) override;
  Result Stage(Bytes key, uint64_t base_revision, absl::Span<const Bytes> pieces) override;
  Result StageErase(Bytes key, uint64_t base_revision) override;
  Result Commit() override;
  void Discard() override { writes_.clear(); }
  absl::Span<const store::Staged> staged() const override { return staged_; }
  size_t stage_bytes_left() const override { return size_t{64} << 20; }

 private:
  struct Stored {
    std::string octets;
    std::vector<Bytes> extents;
    // The same extents for FindToStage, once it was called.
    std::unique_ptr<UnreadableMemory> unseen;
    std::vector<Bytes> unseen_extents;
  };
  struct Entry {
    std::shared_ptr<Stored> value;  // null: erased
    uint64_t revision = 0;
  };
  struct Write {
    std::string key;
    uint64_t base_revision = 0;
    bool erase = false;
    std::vector<Bytes> pieces;
  };

  std::vector<Bytes> Cut(Bytes octets) const;
  Stored* ReadEntry(Bytes key, store::Found* found) const;
  void Lend(const std::vector<Bytes>& extents, store::Found* found);
  static Bytes Content(const Stored* old, Bytes piece);
  void Set(const std::string& key, std::string octets);

  std::map<std::string, Entry, std::less<>> entries_;
  std::vector<std::shared_ptr<Stored>> replaced_;  // kept, since they may be lent
  std::vector<Write> writes_;
  std::vector<store::Staged> staged_;
  size_t extent_bytes_ = SIZE_MAX;
  Result next_read_ = Result::kOk;
  Result next_stage_ = Result::kOk;
  int finds_ = 0;
  int finds_to_stage_ = 0;
  int peeks_ = 0;
  int lent_ = 0;
};

}  // namespace pure::testing
