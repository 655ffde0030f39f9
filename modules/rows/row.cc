#include "modules/rows/row.h"

#include <cstring>

namespace pure::modules {
namespace {

constexpr size_t kCountBytes = 4;
constexpr size_t kOffsetBytes = 4;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "rows are copied as they lie in memory");

template <typename T>
T Load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

template <typename T>
void Store(char* at, T value) {
  std::memcpy(at, &value, sizeof(value));
}

uint32_t Load32(const char* at) { return Load<uint32_t>(at); }
void Store32(char* at, size_t value) { Store(at, static_cast<uint32_t>(value)); }

size_t HeadBytes(size_t fields) { return 8 * (1 + fields); }

}  // namespace

size_t RowBytes(absl::Span<const Field> fields) {
  size_t bytes = HeadBytes(fields.size());
  for (const Field& field : fields) bytes += field.present ? field.size_bytes : 0;
  return bytes;
}

char* EncodeRow(absl::Span<const Field> fields, char* out) {
  uint64_t present = 0;
  for (size_t i = 0; i < fields.size(); ++i) present |= uint64_t{fields[i].present} << i;
  Store(out, present);
  char* end = out + HeadBytes(fields.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    const Field& field = fields[i];
    char* const slot = out + 8 * (1 + i);
    if (!field.present) {
      Store(slot, uint64_t{0});
    } else if (!field.is_octets) {
      Store(slot, field.number);
    } else {
      Store32(slot, static_cast<size_t>(end - out));
      Store32(slot + 4, field.size_bytes);
      for (const Bytes piece : field.pieces) end += piece.copy(end, piece.size());
    }
  }
  return end;
}

bool RowView::present(size_t field) const {
  return (Load<uint64_t>(row_.data()) >> field & 1) != 0;
}

int64_t RowView::number(size_t field) const { return Load<int64_t>(slot(field)); }

Bytes RowView::octets(size_t field) const {
  return row_.substr(Load32(slot(field)), Load32(slot(field) + 4));
}

bool IsRow(Bytes row, const std::vector<bool>& octets) {
  if (row.size() < HeadBytes(octets.size())) return false;
  const RowView view(row);
  for (size_t i = 0; i < octets.size(); ++i) {
    if (!octets[i] || !view.present(i)) continue;
    const char* const slot = row.data() + 8 * (1 + i);
    const uint64_t begin = Load32(slot);
    if (begin < HeadBytes(octets.size()) || begin + Load32(slot + 4) > row.size()) return false;
  }
  return true;
}

size_t BlockView::size() const { return Load32(block_.data()); }

Bytes BlockView::row(size_t i) const {
  const char* const offset = block_.data() + kCountBytes + kOffsetBytes * i;
  const uint32_t begin = Load32(offset);
  return block_.substr(begin, Load32(offset + kOffsetBytes) - begin);
}

bool IsBlock(Bytes block) {
  if (block.size() < kCountBytes + kOffsetBytes) return false;
  const uint64_t count = Load32(block.data());
  const uint64_t head = kCountBytes + kOffsetBytes * (count + 1);
  if (block.size() < head) return false;
  uint64_t last = head;
  for (uint64_t i = 0; i <= count; ++i) {
    const uint64_t offset = Load32(block.data() + kCountBytes + kOffsetBytes * i);
    if (offset < last || (i == 0 && offset != head)) return false;
    last = offset;
  }
  return last == block.size();
}

size_t BlockBytes(absl::Span<const Bytes> rows) {
  size_t bytes = kCountBytes + kOffsetBytes * (rows.size() + 1);
  for (const Bytes row : rows) bytes += row.size();
  return bytes;
}

char* EncodeBlock(absl::Span<const Bytes> rows, char* out) {
  Store32(out, rows.size());
  char* offset = out + kCountBytes;
  char* end = offset + kOffsetBytes * (rows.size() + 1);
  for (const Bytes row : rows) {
    Store32(offset, static_cast<size_t>(end - out));
    offset += kOffsetBytes;
    end += row.copy(end, row.size());
  }
  Store32(offset, static_cast<size_t>(end - out));
  return end;
}

}  // namespace pure::modules
