#include "store/simulated/page_table.h"

#include <algorithm>
#include <cstring>

namespace pure::store {
namespace {

constexpr uint64_t kSectorsInPage = kPageBytes / kSectorBytes;

// Most sectors that a store writes in bulk are zeros: they share one copy.
const std::shared_ptr<const Sector>& ZeroSector() {
  static const auto& zeros = *new std::shared_ptr<const Sector>(std::make_shared<Sector>());
  return zeros;
}

// The bits of the sectors that [begin, end) of a page touches.
uint8_t SectorBits(size_t begin, size_t end) {
  uint8_t bits = 0;
  for (size_t sector = begin / kSectorBytes; sector * kSectorBytes < end; ++sector) {
    bits = static_cast<uint8_t>(bits | (1u << sector));
  }
  return bits;
}

}  // namespace

void PageTable::Read(uint64_t offset, MutableBytes into) const {
  size_t done = 0;
  while (done < into.size()) {
    const size_t index = (offset + done) / kPageBytes;
    const size_t begin = (offset + done) % kPageBytes;
    const size_t count = std::min(kPageBytes - begin, into.size() - done);
    if (index < pages_.size() && pages_[index] != nullptr) {
      std::memcpy(into.data() + done, pages_[index]->bytes.data() + begin, count);
    } else {
      std::memset(into.data() + done, 0, count);
    }
    done += count;
  }
}

void PageTable::ReadIntoZeros(MutableBytes into) const {
  for (size_t index = 0; index < pages_.size() && index * kPageBytes < into.size(); ++index) {
    const std::shared_ptr<Page>& page = pages_[index];
    if (page == nullptr || page == WrittenZeros()) continue;
    const MutableBytes place = into.subspan(index * kPageBytes, kPageBytes);
    std::memcpy(place.data(), page->bytes.data(), place.size());
  }
}

void PageTable::Write(uint64_t offset, Bytes bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const size_t index = (offset + done) / kPageBytes;
    const size_t begin = (offset + done) % kPageBytes;
    const size_t count = std::min(kPageBytes - begin, bytes.size() - done);
    if (count == kPageBytes &&
        std::memcmp(bytes.data() + done, WrittenZeros()->bytes.data(), count) == 0) {
      if (index >= pages_.size()) pages_.resize(index + 1);
      pages_[index] = WrittenZeros();
      done += count;
      continue;
    }
    Page* page = MutablePage(index);
    std::memcpy(page->bytes.data() + begin, bytes.data() + done, count);
    page->written = static_cast<uint8_t>(page->written | SectorBits(begin, begin + count));
    done += count;
  }
}

void PageTable::Truncate(uint64_t size_bytes) {
  const size_t keep = (size_bytes + kPageBytes - 1) / kPageBytes;
  if (pages_.size() > keep) pages_.resize(keep);
  const size_t begin = size_bytes % kPageBytes;
  if (begin == 0 || keep == 0 || pages_.size() < keep || pages_[keep - 1] == nullptr) return;
  Page* page = MutablePage(keep - 1);
  std::memset(page->bytes.data() + begin, 0, kPageBytes - begin);
  page->written = static_cast<uint8_t>(page->written & SectorBits(0, begin));
}

bool PageTable::Written(uint64_t sector) const {
  const size_t index = sector / kSectorsInPage;
  if (index >= pages_.size() || pages_[index] == nullptr) return false;
  return (pages_[index]->written >> (sector % kSectorsInPage) & 1u) != 0;
}

void PageTable::ClearSector(uint64_t sector) {
  const size_t index = sector / kSectorsInPage;
  if (index >= pages_.size() || pages_[index] == nullptr) return;
  Page* page = MutablePage(index);
  const size_t begin = sector % kSectorsInPage * kSectorBytes;
  std::memset(page->bytes.data() + begin, 0, kSectorBytes);
  page->written = static_cast<uint8_t>(page->written & ~SectorBits(begin, begin + 1));
}

const char* PageTable::SectorBytes(uint64_t sector) const {
  const size_t index = sector / kSectorsInPage;
  if (index >= pages_.size() || pages_[index] == nullptr) return nullptr;
  return pages_[index]->bytes.data() + sector % kSectorsInPage * kSectorBytes;
}

std::shared_ptr<const Sector> PageTable::ReadSector(uint64_t sector) const {
  const char* bytes = SectorBytes(sector);
  if (bytes == nullptr || std::memcmp(bytes, ZeroSector()->data(), kSectorBytes) == 0) {
    return ZeroSector();
  }
  auto copy = std::make_shared<Sector>();
  std::memcpy(copy->data(), bytes, kSectorBytes);
  return copy;
}

// Never changed: the static reference makes it a shared page always.
const std::shared_ptr<PageTable::Page>& PageTable::WrittenZeros() {
  static const auto& zeros = *new std::shared_ptr<Page>([] {
    auto page = std::make_shared<Page>();
    page->written = 0xff;
    return page;
  }());
  return zeros;
}

PageTable::Page* PageTable::MutablePage(size_t index) {
  if (index >= pages_.size()) pages_.resize(index + 1);
  std::shared_ptr<Page>& page = pages_[index];
  if (page == nullptr) {
    page = std::make_shared<Page>();
  } else if (page.use_count() != 1) {
    page = std::make_shared<Page>(*page);
  }
  return page.get();
}

}  // namespace pure::store
