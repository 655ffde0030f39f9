#include "store/simulated/trace_checks.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

namespace pure::store {
namespace {

constexpr uint64_t kBlockBytes = 4096;

bool IsZeros(const std::string& bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char byte) { return byte == '\0'; });
}

bool IsAcknowledged(const DiskOperation& operation) {
  return operation.kind == CallKind::kMark && operation.name == kAcknowledgedMark;
}

bool Succeeded(const DiskOperation& operation) { return operation.error == IoError::kNone; }

std::string At(size_t index, const DiskOperation& operation) {
  return absl::StrCat("operation ", index, " (", DescribeOperation(operation), ")");
}

using Block = std::pair<uint32_t, uint64_t>;  // file, number in it

}  // namespace

std::vector<std::string> IsolationBreaches(const DiskJournal& journal) {
  std::vector<std::string> breaches;
  std::set<Block> unsynced;
  std::set<Block> synced;
  std::set<Block> acknowledged;
  for (size_t i = 0; i < journal.operations.size(); ++i) {
    const DiskOperation& operation = journal.operations[i];
    if (IsAcknowledged(operation)) acknowledged.merge(synced);
    if (operation.kind == CallKind::kSync && Succeeded(operation)) {
      const auto begin = unsynced.lower_bound({operation.file, 0});
      const auto end = unsynced.lower_bound({operation.file + 1, 0});
      synced.insert(begin, end);
      unsynced.erase(begin, end);
    }
    if (operation.kind != CallKind::kWrite || operation.bytes->empty()) continue;
    const bool zeros = IsZeros(*operation.bytes);
    const uint64_t last = (operation.offset + operation.bytes->size() - 1) / kBlockBytes;
    for (uint64_t block = operation.offset / kBlockBytes; block <= last; ++block) {
      if (acknowledged.count({operation.file, block}) != 0) {
        breaches.push_back(absl::StrCat(At(i, operation), " touches block ", block,
                                        ", which holds acknowledged bytes"));
      }
      if (!zeros) unsynced.insert({operation.file, block});
    }
  }
  return breaches;
}

std::vector<std::string> OrderBreaches(const DiskJournal& journal) {
  struct Written {
    std::string name;
    bool bytes_unsynced = false;
    bool name_unsynced = false;
    bool since_mark = false;
  };
  std::vector<std::string> breaches;
  std::map<uint32_t, Written> files;
  for (size_t i = 0; i < journal.operations.size(); ++i) {
    const DiskOperation& operation = journal.operations[i];
    if (operation.kind == CallKind::kCreate && Succeeded(operation)) {
      files[operation.file].name_unsynced = true;
    } else if (operation.kind == CallKind::kSyncDirectory && Succeeded(operation)) {
      for (auto& [number, file] : files) file.name_unsynced = false;
    } else if (operation.kind == CallKind::kSync && Succeeded(operation)) {
      files[operation.file].bytes_unsynced = false;
    } else if (operation.kind == CallKind::kRemove && Succeeded(operation)) {
      // What was given up was not what is acknowledged.
      for (auto& [number, file] : files) file.since_mark &= file.name != operation.name;
    } else if (operation.kind == CallKind::kWrite && !IsZeros(*operation.bytes)) {
      Written& file = files[operation.file];
      file.name = operation.name;
      file.bytes_unsynced = true;
      file.since_mark = true;
    }
    if (!IsAcknowledged(operation)) continue;
    for (auto& [number, file] : files) {
      if (file.since_mark && (file.bytes_unsynced || file.name_unsynced)) {
        breaches.push_back(absl::StrCat(At(i, operation), ": ", file.name, " has unsynced ",
                                        file.bytes_unsynced ? "bytes" : "names"));
      }
      file.since_mark = false;
    }
  }
  return breaches;
}

std::vector<std::string> StickyBreaches(const DiskJournal& journal) {
  std::vector<std::string> breaches;
  bool failed = false;
  for (size_t i = 0; i < journal.operations.size(); ++i) {
    const DiskOperation& operation = journal.operations[i];
    const bool is_remark = operation.kind == CallKind::kMark && !IsAcknowledged(operation);
    if (failed && !is_remark) {
      breaches.push_back(absl::StrCat(At(i, operation), " comes after a failed save"));
    }
    const bool is_sync =
        operation.kind == CallKind::kSync || operation.kind == CallKind::kSyncDirectory;
    const bool has_bytes = operation.kind == CallKind::kWrite && !operation.bytes->empty();
    if (!Succeeded(operation) && (is_sync || has_bytes)) failed = true;
  }
  return breaches;
}

}  // namespace pure::store
