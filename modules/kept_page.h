#pragma once

// KeptPage: an answer that is kept to be lent again, as long as nothing that it shows has changed.
//
// Threads: Keep, Lend: one. What was lent is given back by any, and outlives the page. Cost:
// keeping copies the answer once; lending allocates nothing.

#include <cstdint>

#include "runtime/bytes.h"
#include "runtime/resource.h"

namespace pure::modules {

class KeptPage {
 public:
  KeptPage() = default;
  ~KeptPage() { Forget(); }
  KeptPage(const KeptPage&) = delete;
  KeptPage& operator=(const KeptPage&) = delete;

  // Keeps a copy in place of the one before. False: no memory; nothing is kept.
  bool Keep(uint64_t revision, Bytes page);
  void Forget();

  // What is kept; 0: nothing.
  uint64_t revision() const { return revision_; }
  size_t size_bytes() const;
  // REQUIRES: something is kept.
  Resource Lend() const;

 private:
  struct Shared;
  static void GiveBack(void* shared, void*);

  Shared* shared_ = nullptr;
  uint64_t revision_ = 0;
};

}  // namespace pure::modules
