#pragma once

// KeptPages: the newest answer of each view of a module, kept to be lent again. Its bytes are spare
// ones of a budget: who needs the room gets it.
//
// Thread: that of the budget; what was lent is given back by any thread. Lifetime: borrows the
// budget for its own life. Cost: keeping copies the answer once; lending allocates nothing.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/base/attributes.h"
#include "modules/kept_page.h"
#include "runtime/budget.h"
#include "runtime/bytes.h"

namespace pure::modules {

class KeptPages : public Reclaimer {
 public:
  // `count`: handlers of the module.
  KeptPages(size_t count, Budget* budget ABSL_ATTRIBUTE_LIFETIME_BOUND);
  ~KeptPages() override;

  // The answer of this revision, or null.
  const KeptPage* Find(uint16_t view, uint64_t revision) const;
  // Keeps a copy in place of what it had of the view, if there is room.
  void Keep(uint16_t view, uint64_t revision, Bytes page);
  void Reclaim() override;
  // Reclaims, and keeps nothing any more.
  void Close();

 private:
  // Of all pages together, whatever the budget has.
  static constexpr size_t kBytesMax = size_t{4} << 20;

  Budget* const budget_;
  const size_t count_;
  std::unique_ptr<KeptPage[]> pages_;  // by handler
  size_t bytes_ = 0;
  bool closed_ = false;
};

}  // namespace pure::modules
