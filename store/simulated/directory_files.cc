#include "store/simulated/directory_files.h"

#include <memory>
#include <utility>

#include "store/simulated/disk_operation.h"

namespace pure::store {

DirectoryFiles FilesOf(const DiskImage& image) {
  DirectoryFiles files;
  for (const std::string& name : image.Names()) files[name] = image.Content(name);
  return files;
}

DiskImage ImageOf(const DirectoryFiles& files) {
  DiskImage image;
  for (const auto& [name, content] : files) {
    DiskOperation operation;
    operation.kind = CallKind::kCreate;
    operation.file = image.NextFile();
    operation.name = name;
    image.Apply(operation);
    if (!content.empty()) {
      operation.kind = CallKind::kWrite;
      operation.bytes = std::make_shared<const std::string>(content);
      operation.size_bytes = content.size();
      image.Apply(operation);
    }
    operation.kind = CallKind::kSync;
    image.Apply(operation);
  }
  DiskOperation sync;
  sync.kind = CallKind::kSyncDirectory;
  image.Apply(sync);
  return image;
}

}  // namespace pure::store
