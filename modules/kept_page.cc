#include "modules/kept_page.h"

#include <atomic>
#include <new>
#include <string>

namespace pure::modules {

struct KeptPage::Shared {
  std::atomic<uint32_t> holders{1};
  std::string page;
};

void KeptPage::GiveBack(void* lender, void*) {
  auto* const shared = static_cast<Shared*>(lender);
  if (shared->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete shared;
}

bool KeptPage::Keep(uint64_t revision, Bytes page) {
  Forget();
  shared_ = new (std::nothrow) Shared;
  if (shared_ == nullptr) return false;
  shared_->page = std::string(page);
  revision_ = revision;
  return true;
}

void KeptPage::Forget() {
  if (shared_ != nullptr) GiveBack(shared_, nullptr);
  shared_ = nullptr;
  revision_ = 0;
}

size_t KeptPage::size_bytes() const { return shared_ == nullptr ? 0 : shared_->page.size(); }

Resource KeptPage::Lend() const {
  shared_->holders.fetch_add(1, std::memory_order_relaxed);
  return Resource(shared_->page, &KeptPage::GiveBack, shared_, nullptr);
}

}  // namespace pure::modules
