#include "store/simulated/disk_operation.h"

#include "absl/strings/str_cat.h"

namespace pure::store {

Bytes CallKindName(CallKind kind) {
  switch (kind) {
    case CallKind::kList:
      return "list";
    case CallKind::kCreate:
      return "create";
    case CallKind::kOpen:
      return "open";
    case CallKind::kRename:
      return "rename";
    case CallKind::kRemove:
      return "remove";
    case CallKind::kSyncDirectory:
      return "sync directory";
    case CallKind::kLock:
      return "lock";
    case CallKind::kSize:
      return "size";
    case CallKind::kRead:
      return "read";
    case CallKind::kWrite:
      return "write";
    case CallKind::kSync:
      return "sync";
    case CallKind::kAllocate:
      return "allocate";
    case CallKind::kMap:
      return "map";
    case CallKind::kChecksum:
      return "checksum";
    case CallKind::kMark:
      return "mark";
  }
  return "unknown";
}

bool HadNoEffect(const DiskOperation& operation) {
  switch (operation.kind) {
    case CallKind::kMark:
      return true;
    case CallKind::kWrite:
      return operation.bytes->empty();
    case CallKind::kSync:
    case CallKind::kSyncDirectory:
      return false;
    default:
      return operation.error != IoError::kNone;
  }
}

std::string DescribeOperation(const DiskOperation& operation) {
  std::string text(CallKindName(operation.kind));
  if (!operation.name.empty()) absl::StrAppend(&text, " ", operation.name);
  if (!operation.to.empty()) absl::StrAppend(&text, " to ", operation.to);
  switch (operation.kind) {
    case CallKind::kWrite:
      absl::StrAppend(&text, " ", operation.offset, "+", operation.size_bytes);
      break;
    case CallKind::kAllocate:
    case CallKind::kMark:
      absl::StrAppend(&text, " ", operation.size_bytes);
      break;
    default:
      break;
  }
  if (operation.error == IoError::kNone) return text;
  if (operation.kind == CallKind::kWrite) {
    absl::StrAppend(&text, " (", operation.bytes->size(), " written)");
  }
  absl::StrAppend(&text, ": ", IoErrorText(operation.error));
  return text;
}

}  // namespace pure::store
