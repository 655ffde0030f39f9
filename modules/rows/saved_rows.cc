#include "modules/rows/saved_rows.h"

#include <deque>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "modules/rows/row.h"

namespace pure::modules {
namespace {

constexpr size_t kIdBytes = 8;

std::string Prefix(Bytes name) { return absl::StrCat(Bytes("\0s", 2), name, Bytes("\0", 1)); }

std::string KeyOf(Bytes prefix, uint64_t id) {
  char octets[kIdBytes];
  for (size_t i = 0; i < kIdBytes; ++i) octets[i] = static_cast<char>(id >> (8 * (7 - i)));
  return absl::StrCat(prefix, Bytes(octets, kIdBytes));
}

uint64_t IdOf(Bytes key) {
  uint64_t id = 0;
  for (const char octet : key.substr(key.size() - kIdBytes)) {
    id = id << 8 | static_cast<unsigned char>(octet);
  }
  return id;
}

}  // namespace

Result StageRows(Bytes name, const Rows& before, const Rows& now, store::StoreHandle* handle) {
  const std::string prefix = Prefix(name);
  Result result = Result::kOk;
  Rows::Diff(before, now, [&](const Rows::Chunk& chunk) {
    if (result != Result::kOk) return;
    const std::string key = KeyOf(prefix, chunk.id);
    store::Found found;
    result = handle->Peek(key, &found);
    if (result != Result::kOk) return;
    result = chunk.block.empty()
                 ? handle->StageErase(key, found.revision)
                 : handle->Stage(key, found.revision, absl::MakeConstSpan(&chunk.block, 1));
  });
  return result;
}

Result LoadRows(Bytes name, store::Store* store, store::StoreHandle* handle, Rows* rows,
                std::string* damaged) {
  const std::string prefix = Prefix(name);
  std::vector<std::string> keys;
  Result result = store->List(prefix, [&](Bytes key, uint64_t, size_t) {
    keys.emplace_back(key);
    return true;
  });
  std::deque<std::string> blocks;
  std::vector<Rows::Chunk> chunks;
  if (result != Result::kOk) return result;
  for (size_t i = 0; i < keys.size(); ++i) {
    store::Found found;
    result = handle->Find(keys[i], &found);
    std::string block;
    for (const Bytes span : found.value.spans()) block.append(span);
    const bool chunk =
        keys[i].size() == prefix.size() + kIdBytes && IsBlock(block) && BlockView(block).size() > 0;
    if (result == Result::kOk && !chunk) result = Result::kStorage;
    if (result != Result::kOk) {
      *damaged = keys[i];
      return result;
    }
    chunks.push_back({IdOf(keys[i]), blocks.emplace_back(std::move(block))});
  }
  *rows = Rows::OfChunks(chunks);
  return Result::kOk;
}

}  // namespace pure::modules
