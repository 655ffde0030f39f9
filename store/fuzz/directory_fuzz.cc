// libFuzzer entry: the files of a store, edited (edited_store.h), are opened and read. Stops when
// the store shows what is in no file, contradicts itself, or does not keep what it showed.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "runtime/bytes.h"
#include "store/extent_store.h"
#include "store/files.h"
#include "store/fuzz/edited_store.h"
#include "store/fuzz/fuzz_options.h"
#include "store/simulated/simulated_disk.h"
#include "tests/testing/seeded_entropy.h"

namespace pure::store {
namespace {

// What a store shows of a key: its value, or that a read of it is refused.
struct Shown {
  uint64_t revision = 0;
  bool refused = false;
  std::string value;

  friend bool operator==(const Shown&, const Shown&) = default;
};
using AllShown = std::map<std::string, Shown>;

void Expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "the store: %s\n", what);
  std::abort();
}

bool IsInAFile(const DirectoryFiles& files, Bytes bytes) {
  for (const auto& [name, content] : files) {
    if (Bytes(content).find(bytes) != Bytes::npos) return true;
  }
  return false;
}

AllShown ReadAll(ExtentStore* store, const DirectoryFiles& files) {
  AllShown all;
  const std::unique_ptr<StoreHandle> handle = store->NewHandle();
  handle->TakeLook();
  bool any_refused = false;
  const Result listed = store->List("", [&](Bytes key, uint64_t revision, size_t size_bytes) {
    Found found;
    Expect(handle->Peek(key, &found) == Result::kOk && found.present, "it lists what is not there");
    Expect(found.revision == revision && found.size_bytes == size_bytes, "it lists otherwise");
    Expect(IsInAFile(files, key), "it shows a key of no file");
    Shown shown{.revision = revision};
    const Result result = handle->Find(key, &found);
    shown.refused = result == Result::kStorage;
    any_refused = any_refused || shown.refused;
    Expect(shown.refused || result == Result::kOk, "a read ends otherwise");
    if (!shown.refused) {
      for (const Bytes span : found.value.spans()) {
        Expect(IsInAFile(files, span), "it shows bytes of no file");
        shown.value.append(span);
      }
      Expect(shown.value.size() == size_bytes, "a value has another size");
    }
    all[std::string(key)] = std::move(shown);
    return true;
  });
  Expect(listed == Result::kOk, "it does not list");
  VerifyReport report;
  Expect(store->Verify(&report).ok(), "it does not verify");
  Expect(!any_refused || !report.damages.empty(), "a read is refused, but nothing is damaged");
  return all;
}

// A damaged store stays as it is. (One whose damage has checksums that hold may be found out late.)
void ExpectUnchanged(const absl::Status& status, Bytes input, const DirectoryFiles& files,
                     const SimulatedDisk& disk) {
  if (IsResealed(input) || !absl::IsDataLoss(status)) return;
  for (const std::string& name : disk.Names()) {
    if (name == kLockFileName) continue;
    const auto before = files.find(name);
    Expect(before != files.end(), "it refuses, but makes a file");
    Expect(before->second == disk.Content(name), "it refuses, but changes a file");
  }
  Expect(disk.calls(CallKind::kRemove) == 0, "it refuses, but removes a file");
}

void Play(Bytes input) {
  const DirectoryFiles files = EditedStore(input);
  SimulatedDisk disk(ImageOf(files), {.keep_journal = false});
  pure::testing::SeededEntropy entropy(5);
  AllShown first;
  {
    auto opened = ExtentStore::Open(disk.OpenDirectory(), FuzzOptions(&entropy));
    if (!opened.ok()) return ExpectUnchanged(opened.status(), input, files, disk);
    first = ReadAll(opened->get(), files);
  }
  // Killed; what it showed is there, or refused.
  auto opened = ExtentStore::Open(disk.OpenDirectory(), FuzzOptions(&entropy));
  if (!opened.ok()) return;
  Expect(ReadAll(opened->get(), files) == first, "it shows something else when opened again");
}

}  // namespace
}  // namespace pure::store

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  pure::store::Play(pure::Bytes(reinterpret_cast<const char*>(data), size));
  return 0;
}
