#include "platforms/server/file_watch.h"

#include <utility>

namespace pure::server {

FileWatch::FileWatch(std::string path) : path_(std::move(path)) {}

bool FileWatch::Changed() {
  const Identity before = std::exchange(last_, Look());
  if (last_.bytes < 0 || last_ == known_ || !(last_ == before)) return false;
  known_ = last_;
  return true;
}

FileWatch::Identity FileWatch::Look() const {
  struct stat info;
  if (stat(path_.c_str(), &info) != 0) return {};
  return {info.st_dev, info.st_ino, info.st_size, info.st_mtim};
}

}  // namespace pure::server
