#pragma once

// TemporaryDirectory: a fresh directory on the disk for one test, removed with everything in it.

#include <string>
#include <string_view>

namespace pure::store {

class TemporaryDirectory final {
 public:
  // Under TEST_TMPDIR; REQUIRES: it can be made.
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string Path(std::string_view name) const;

 private:
  std::string path_;
};

}  // namespace pure::store
