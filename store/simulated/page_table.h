#pragma once

// PageTable: the bytes of one simulated file, as pages that copies share until one of them writes.
//
// Cost: a copy takes one pointer a page; a write copies the pages that are shared. Pages that were
// never written, or are written whole with zeros, take no memory.
// Threads: tables that share pages belong to one thread (or to one lock).

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/bytes.h"

namespace pure::store {

// What a disk writes whole, or tears.
inline constexpr size_t kSectorBytes = 512;
inline constexpr size_t kPageBytes = 4096;

using Sector = std::array<char, kSectorBytes>;

class PageTable {
 public:
  // Bytes never written are zeros.
  void Read(uint64_t offset, MutableBytes into) const;
  // The same from the beginning, for memory that is zeros already: pages of zeros are left out.
  void ReadIntoZeros(MutableBytes into) const;
  void Write(uint64_t offset, Bytes bytes);
  // Forgets everything from `size_bytes` on.
  void Truncate(uint64_t size_bytes);

  // Whether any byte of the sector was ever written. Cleared again by ClearSector.
  bool Written(uint64_t sector) const;
  // The sector becomes zeros that were never written.
  void ClearSector(uint64_t sector);
  std::shared_ptr<const Sector> ReadSector(uint64_t sector) const;
  // Null when the sector lies in a page that was never written. Lives until the next change.
  const char* SectorBytes(uint64_t sector) const;

 private:
  struct Page {
    std::array<char, kPageBytes> bytes{};
    uint8_t written = 0;  // one bit a sector
  };
  static_assert(kPageBytes / kSectorBytes == 8, "the bits of Page::written");

  static const std::shared_ptr<Page>& WrittenZeros();
  Page* MutablePage(size_t index);

  std::vector<std::shared_ptr<Page>> pages_;  // null: never written
};

}  // namespace pure::store
