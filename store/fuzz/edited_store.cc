#include "store/fuzz/edited_store.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "absl/types/span.h"
#include "runtime/check.h"
#include "store/extent_store.h"
#include "store/format.h"
#include "store/fuzz/fuzz_options.h"
#include "store/fuzz/reseal.h"
#include "store/simulated/simulated_disk.h"
#include "tests/testing/seeded_entropy.h"

namespace pure::store {
namespace {

// A made file may be this long, so that an input does not cost more than it can show.
constexpr size_t kFileBytesMax = 64u << 10;
constexpr size_t kEditBytes = 8;

void Save(StoreHandle* handle, Bytes key, uint64_t base, Bytes value) {
  const Result staged = handle->Stage(key, base, absl::MakeConstSpan(&value, 1));
  PURE_CHECK(staged == Result::kOk && handle->Commit() == Result::kOk, "an undamaged store saves");
}

// One life of the store: some saves, and a close or none.
void Live(SimulatedDisk* disk, uint64_t life, bool close) {
  pure::testing::SeededEntropy entropy(life);
  auto opened = ExtentStore::Open(disk->OpenDirectory(), FuzzOptions(&entropy));
  PURE_CHECK(opened.ok(), "an undamaged store opens");
  const std::unique_ptr<StoreHandle> handle = (*opened)->NewHandle();
  Save(handle.get(), "long", 2 * life, std::string(3000, 'l'));
  Save(handle.get(), "short", 2 * life, "s");
  Save(handle.get(), "long", 2 * life + 1, "");
  PURE_CHECK(handle->StageErase("short", 2 * life + 1) == Result::kOk, "it stages");
  PURE_CHECK(handle->Commit() == Result::kOk, "an undamaged store saves");
  while ((*opened)->DoBackgroundWork()) {
  }
  if (close) PURE_CHECK((*opened)->Close().ok(), "an undamaged store closes");
}

DirectoryFiles MakeBase(size_t number) {
  SimulatedDisk disk(SimulatedDiskOptions{.keep_journal = false});
  if (number == 0) return {};
  Live(&disk, 0, true);
  Live(&disk, 1, number == 1);
  if (number < 3) return FilesOf(disk.KillImage());
  disk.Inject({.kind = CallKind::kRename});
  pure::testing::SeededEntropy entropy(9);
  PURE_CHECK(!ExtentStore::Open(disk.OpenDirectory(), FuzzOptions(&entropy)).ok(), "it is cut");
  return FilesOf(disk.KillImage());
}

uint64_t Number(Bytes bytes) {
  uint64_t number = 0;
  for (const char octet : bytes) number = number << 8 | static_cast<uint8_t>(octet);
  return number;
}

class Editor {
 public:
  explicit Editor(DirectoryFiles files) : files_(std::move(files)) {}

  // Takes one edit from the input.
  void Edit(Bytes* input) {
    const Bytes edit = input->substr(0, kEditBytes);
    input->remove_prefix(edit.size());
    if (edit.size() < kEditBytes || files_.empty()) return;
    const auto file = Pick(static_cast<uint8_t>(edit[1]));
    std::string& content = file->second;
    const uint64_t offset = content.empty() ? 0 : Number(edit.substr(2, 4)) % content.size();
    const uint64_t size = Number(edit.substr(6, 2));
    switch (static_cast<uint8_t>(edit[0]) % 8) {
      case 0:
      case 1: {
        const Bytes bytes = input->substr(0, std::min<uint64_t>(size, content.size() - offset));
        content.replace(offset, bytes.size(), bytes);
        input->remove_prefix(bytes.size());
        return;
      }
      case 2:
        if (content.empty()) return;
        content[offset] = static_cast<char>(content[offset] ^ (1 << size % 8));
        return;
      case 3:
        content.resize(std::min<uint64_t>(offset + size, kFileBytesMax));
        return;
      case 4:
        files_.erase(file);
        return;
      case 5:
        std::swap(content, Pick(size)->second);
        return;
      case 6:
        CopyBlock(Pick(size)->second, offset / kBlockBytes * kBlockBytes, size, &content);
        return;
      case 7: {
        char name[kSegmentNameBytes];
        const std::string copy = content;
        files_[std::string(SegmentName(size, name))] = copy;
        return;
      }
    }
  }
  DirectoryFiles& files() { return files_; }

 private:
  DirectoryFiles::iterator Pick(uint64_t number) {
    return std::next(files_.begin(), static_cast<ptrdiff_t>(number % files_.size()));
  }
  static void CopyBlock(const std::string& from, uint64_t offset, uint64_t at, std::string* to) {
    const std::string block = offset < from.size() ? from.substr(offset, kBlockBytes) : "";
    const uint64_t place = at * kBlockBytes % (to->size() + 1) / kBlockBytes * kBlockBytes;
    to->replace(place, std::min(block.size(), to->size() - place), block);
  }

  DirectoryFiles files_;
};

}  // namespace

const DirectoryFiles& BaseStore(size_t number) {
  static const auto& bases = *new std::array<DirectoryFiles, kBaseStores>{MakeBase(0), MakeBase(1),
                                                                          MakeBase(2), MakeBase(3)};
  return bases[number];
}

DirectoryFiles EditedStore(Bytes input) {
  if (input.size() < 2) return {};
  Editor editor(BaseStore(static_cast<uint8_t>(input[0]) % kBaseStores));
  for (Bytes edits = input.substr(2); !edits.empty();) editor.Edit(&edits);
  if (IsResealed(input)) Reseal(&editor.files());
  return std::move(editor.files());
}

bool IsResealed(Bytes input) {
  return input.size() >= 2 && (static_cast<uint8_t>(input[1]) & 1) != 0;
}

void Overlay(Bytes edits, std::string* bytes) {
  for (; edits.size() >= 3 && !bytes->empty(); edits.remove_prefix(3)) {
    (*bytes)[Number(edits.substr(0, 2)) % bytes->size()] = edits[2];
  }
}

}  // namespace pure::store
