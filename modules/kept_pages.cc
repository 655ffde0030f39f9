#include "modules/kept_pages.h"

#include <utility>

namespace pure::modules {

KeptPages::KeptPages(size_t count, Budget* budget)
    : budget_(budget), count_(count), pages_(std::make_unique<KeptPage[]>(count)) {
  budget->SetReclaimer(this);
}

KeptPages::~KeptPages() {
  Reclaim();
  budget_->SetReclaimer(nullptr);
}

const KeptPage* KeptPages::Find(uint16_t view, uint64_t revision) const {
  const KeptPage& page = pages_[view];
  return page.revision() == revision && revision != 0 ? &page : nullptr;
}

void KeptPages::Keep(uint16_t view, uint64_t revision, Bytes page) {
  KeptPage& kept = pages_[view];
  const size_t before = kept.size_bytes();
  kept.Forget();
  bytes_ -= before;
  budget_->RefundSpare(before);
  if (closed_ || page.empty() || bytes_ + page.size() > kBytesMax) return;
  if (!budget_->ChargeSpare(page.size())) return;
  if (!kept.Keep(revision, page)) return budget_->RefundSpare(page.size());
  bytes_ += page.size();
}

void KeptPages::Reclaim() {
  for (size_t i = 0; i < count_; ++i) pages_[i].Forget();
  budget_->RefundSpare(std::exchange(bytes_, 0));
}

void KeptPages::Close() {
  closed_ = true;
  Reclaim();
}

}  // namespace pure::modules
