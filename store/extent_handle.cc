#include "store/extent_handle.h"

#include <new>
#include <utility>

#include "runtime/check.h"
#include "store/planted_bug.h"
#include "store/share_stored.h"

namespace pure::store {
namespace {

void ReturnOne(void* segment, void*) {
  static_cast<Segment*>(segment)->Release();
  if (Planted(Bug::kReleaseTwice)) static_cast<Segment*>(segment)->Release();
}

// What a lent value of several extents needs: one piece of memory that the return frees.
struct LentExtents {
  size_t count;

  // Null: no memory.
  static LentExtents* Make(absl::Span<const StoredExtent> extents) {
    void* memory = ::operator new(
        sizeof(LentExtents) + extents.size() * (sizeof(StoredExtent) + sizeof(Bytes)),
        std::nothrow);
    if (memory == nullptr) return nullptr;
    LentExtents* lent = new (memory) LentExtents{extents.size()};
    for (size_t i = 0; i < lent->count; ++i) {
      new (&lent->extents()[i]) StoredExtent(extents[i]);
      extents[i].segment->Hold();
      new (&lent->spans()[i])
          Bytes(extents[i].segment->bytes(extents[i].offset, extents[i].length));
    }
    return lent;
  }
  static void Return(void* lent, void*) {
    LentExtents* self = static_cast<LentExtents*>(lent);
    for (const StoredExtent& extent : self->extents()) extent.segment->Release();
    ::operator delete(lent);
  }

  absl::Span<StoredExtent> extents() { return {reinterpret_cast<StoredExtent*>(this + 1), count}; }
  absl::Span<Bytes> spans() { return {reinterpret_cast<Bytes*>(extents().data() + count), count}; }
};

void FillFound(const Version& version, Found* found) {
  found->present = version.present;
  found->revision = version.revision;
  found->size_bytes = version.size_bytes;
}

}  // namespace

ExtentHandle::ExtentHandle(Index* index, Committer* committer, size_t save_bytes_max,
                           bool verify_always, std::function<void()> after_commit)
    : index_(index),
      committer_(committer),
      verify_always_(verify_always),
      after_commit_(std::move(after_commit)),
      staging_(save_bytes_max) {
  request_.staging = &staging_;
  index_->AddSlot(&look_);
}

ExtentHandle::~ExtentHandle() {
  ForgetShared();
  ForgetLent();
  index_->RemoveSlot(&look_);
}

void ExtentHandle::TakeLook() {
  ForgetLent();
  index_->TakeLook(&look_);
}

void ExtentHandle::DropLook() {
  ForgetLent();
  Index::DropLook(&look_);
}

void ExtentHandle::RememberLent(Bytes key, absl::Span<const StoredExtent> extents) {
  lent_key_.assign(key);
  lent_.assign(extents.begin(), extents.end());
  for (const StoredExtent& extent : lent_) extent.segment->Hold();
}

void ExtentHandle::ForgetLent() {
  for (const StoredExtent& extent : lent_) extent.segment->Release();
  lent_.clear();
}

void ExtentHandle::ForgetShared() {
  for (const StoredExtent& extent : shared_) extent.segment->Release();
  shared_.clear();
}

Result ExtentHandle::Find(Bytes key, Found* found) { return Lend(key, true, found); }

Result ExtentHandle::FindToStage(Bytes key, Found* found) { return Lend(key, false, found); }

Result ExtentHandle::Lend(Bytes key, bool verified, Found* found) {
  PURE_CHECK(look_.held(), "a look is held while reading");
  *found = Found{};
  ForgetLent();
  Version version;
  StoredExtent single;
  LentExtents* several = nullptr;
  bool no_memory = false;
  const bool known =
      index_->Find(key, look_, &version, [&](absl::Span<const StoredExtent> extents) {
        if (extents.size() == 1) {
          single = extents[0];
          single.segment->Hold();
        } else if (extents.size() > 1) {
          several = LentExtents::Make(extents);
          no_memory = several == nullptr;
        }
      });
  if (!known) return Result::kOk;
  if (no_memory) return Result::kAllocation;
  Resource value;
  absl::Span<const StoredExtent> extents;
  if (single.segment != nullptr) {
    extents = absl::MakeConstSpan(&single, 1);
    value = Resource(single.segment->bytes(single.offset, single.length), ReturnOne, single.segment,
                     nullptr);
  } else if (several != nullptr) {
    extents = several->extents();
    value = Resource(several->spans(), LentExtents::Return, several, nullptr);
  }
  if (verified) {
    const Result result = Verify(key, version, extents);
    if (result != Result::kOk) return result;
  }
  RememberLent(key, extents);
  FillFound(version, found);
  found->value = std::move(value);
  return Result::kOk;
}

Result ExtentHandle::Verify(Bytes key, const Version& version,
                            absl::Span<const StoredExtent> extents) {
  if (version.damaged) return Result::kStorage;
  if (extents.empty() || (version.verified && !verify_always_)) return Result::kOk;
  for (const StoredExtent& extent : extents) {
    switch (extent.segment->CheckExtent(extent.offset, extent.length, extent.checksum)) {
      case Segment::Check::kSound:
        break;
      case Segment::Check::kDamaged:
        index_->MarkDamaged(key, version.seq);
        return Result::kStorage;
      case Segment::Check::kUnreadable:
        return Result::kStorage;
    }
  }
  if (!verify_always_) index_->MarkVerified(key, version.seq);
  return Result::kOk;
}

Result ExtentHandle::Peek(Bytes key, Found* found) {
  PURE_CHECK(look_.held(), "a look is held while reading");
  *found = Found{};
  Version version;
  if (index_->Find(key, look_, &version, [](absl::Span<const StoredExtent>) {})) {
    FillFound(version, found);
  }
  return Result::kOk;
}

Result ExtentHandle::Stage(Bytes key, uint64_t base_revision, absl::Span<const Bytes> pieces) {
  const bool may_share = !lent_.empty() && key == lent_key_;
  Result result = ShareStored(
      pieces, may_share ? absl::MakeConstSpan(lent_) : absl::Span<const StoredExtent>(), &value_);
  if (result == Result::kOk) result = staging_.Add(key, base_revision, EntryKind::kWrite, value_);
  if (result == Result::kOk && may_share) {
    shared_.insert(shared_.end(), lent_.begin(), lent_.end());
    lent_.clear();
  }
  return result;
}

Result ExtentHandle::StageErase(Bytes key, uint64_t base_revision) {
  value_.Begin(0);
  return staging_.Add(key, base_revision, EntryKind::kErase, value_);
}

Result ExtentHandle::Commit() {
  staging_.Seal();
  if (staging_.empty()) return Result::kOk;
  const Result result = committer_->Commit(&request_);
  staging_.Clear();
  ForgetShared();
  ForgetLent();
  after_commit_();
  return result;
}

void ExtentHandle::Discard() {
  staging_.Clear();
  ForgetShared();
  ForgetLent();
}

}  // namespace pure::store
