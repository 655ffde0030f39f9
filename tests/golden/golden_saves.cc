#include "tests/golden/golden_saves.h"

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "runtime/bytes.h"
#include "runtime/check.h"
#include "runtime/result.h"
#include "store/store.h"
#include "tests/testing/seeded_entropy.h"

namespace pure::store {
namespace {

// Text that repeats nowhere in itself, so that a piece at a wrong place shows.
std::string Numbered(size_t size, char letter) {
  std::string text;
  for (size_t i = 0; text.size() < size; ++i) {
    absl::StrAppend(&text, std::string_view(&letter, 1), i);
  }
  text.resize(size);
  return text;
}

class Writer {
 public:
  explicit Writer(ExtentStore* store) : store_(store), handle_(store->NewHandle()) {}

  void Write(Bytes key, Bytes value) {
    Stage(key, [&](uint64_t revision) { return handle_->Stage(key, revision, {&value, 1}); });
  }
  void Erase(Bytes key) {
    Stage(key, [&](uint64_t revision) { return handle_->StageErase(key, revision); });
  }
  // `piece` comes in at `offset`; what is before and behind it is shared.
  void Insert(Bytes key, size_t offset, Bytes piece) {
    handle_->TakeLook();
    Found found;
    PURE_CHECK(handle_->FindToStage(key, &found) == Result::kOk, "the value is there");
    std::vector<Bytes> pieces;
    for (Bytes span : found.value.spans()) {
      if (offset > span.size()) {
        pieces.push_back(span);
        offset -= span.size();
        continue;
      }
      pieces.push_back(span.substr(0, offset));
      pieces.push_back(piece);
      pieces.push_back(span.substr(offset));
      piece = {};
      offset = 0;
    }
    PURE_CHECK(handle_->Stage(key, found.revision, pieces) == Result::kOk, "staged");
    Commit();
  }

 private:
  template <typename Staging>
  void Stage(Bytes key, Staging stage) {
    handle_->TakeLook();
    Found found;
    PURE_CHECK(handle_->Peek(key, &found) == Result::kOk, "peeked");
    PURE_CHECK(stage(found.revision) == Result::kOk, "staged");
    Commit();
  }
  void Commit() {
    PURE_CHECK(handle_->Commit() == Result::kOk, "saved");
    handle_->DropLook();
    while (store_->DoBackgroundWork()) {
    }
  }

  ExtentStore* const store_;
  const std::unique_ptr<StoreHandle> handle_;
};

const Bytes kModuleKey("\0module", 7);
constexpr char kModule[] = "# not a module of this version: the store does not look into it\n";
constexpr char kInserted[] = " and more ";
constexpr size_t kInsertedAt = 2500;

}  // namespace

std::vector<GoldenValue> GoldenValues() {
  std::string spliced = Numbered(5000, 's');
  spliced.insert(kInsertedAt, kInserted);
  std::vector<GoldenValue> values = {
      {"empty", 1, true, ""},
      {"erased", 2, false, ""},
      {"short", 2, true, "the second of short"},
      {"spliced", 2, true, spliced},
      {"long", 1, true, Numbered(9000, 'l')},
      {std::string(255, 'k'), 1, true, "of the longest key"},
      {std::string(kModuleKey), 1, true, kModule},
  };
  for (int i = 0; i < 5; ++i) {
    values.push_back(
        {absl::StrCat("churn", i), 4, true, Numbered(3000, static_cast<char>('a' + i))});
  }
  return values;
}

void MakeGoldenStore(SimulatedDisk* disk, bool closed) {
  testing::SeededEntropy entropy(1);
  // Small, so that few bytes hold all that a store can hold.
  auto opened = ExtentStore::Open(disk->OpenDirectory(), {.segment_bytes = 16u << 10,
                                                          .first_segment_bytes = 16u << 10,
                                                          .checkpoint_after_bytes = 4u << 10,
                                                          .save_bytes_max = 1u << 20,
                                                          .entropy = &entropy});
  PURE_CHECK(opened.ok(), "an empty directory opens");
  const std::unique_ptr<ExtentStore> store = *std::move(opened);
  Writer writer(store.get());
  writer.Write("empty", "");
  writer.Write("short", Numbered(700, 'x'));
  writer.Write("erased", Numbered(3000, 'e'));
  writer.Erase("erased");
  writer.Write("spliced", Numbered(5000, 's'));
  writer.Insert("spliced", kInsertedAt, kInserted);
  for (int round = 1; round <= 4; ++round) {
    for (int i = 0; i < 5; ++i) {
      const std::string text = Numbered(3000, static_cast<char>('a' + i));
      writer.Write(absl::StrCat("churn", i), round < 4 ? Bytes(text).substr(1) : Bytes(text));
    }
  }
  writer.Write("long", Numbered(9000, 'l'));
  writer.Write(std::string(255, 'k'), "of the longest key");
  writer.Write(kModuleKey, kModule);
  store->SealTail();
  writer.Write("short", "the second of short");
  if (closed) PURE_CHECK(store->Close().ok(), "closed");
}

}  // namespace pure::store
