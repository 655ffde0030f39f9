#include "store/posix/temporary_directory.h"

#include <stdlib.h>

#include <filesystem>
#include <system_error>

#include "runtime/check.h"

namespace pure::store {

TemporaryDirectory::TemporaryDirectory() {
  const char* base = getenv("TEST_TMPDIR");
  std::string pattern = std::string(base == nullptr ? "/tmp" : base) + "/store-XXXXXX";
  PURE_CHECK(mkdtemp(pattern.data()) != nullptr, "a temporary directory can be made");
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryDirectory::Path(std::string_view name) const {
  return path_ + "/" + std::string(name);
}

}  // namespace pure::store
