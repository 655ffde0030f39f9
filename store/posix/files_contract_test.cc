#include "store/testing/files_contract.h"

#include <unistd.h>

#include "store/posix/posix_files.h"
#include "store/posix/temporary_directory.h"

namespace pure::store {
namespace {

class PosixFixture final : public FilesFixture {
 public:
  std::unique_ptr<Directory> OpenDirectory() override {
    OpenDirectoryOptions options;
    // Wherever the tests run: what they ask of it, every file system that is used for that does.
    options.force_file_system = true;
    return *store::OpenDirectory(temporary_.path(), options);
  }
  void Truncate(const std::string& name, uint64_t size_bytes) override {
    ASSERT_EQ(truncate(temporary_.Path(name).c_str(), static_cast<off_t>(size_bytes)), 0);
  }

 private:
  TemporaryDirectory temporary_;
};

std::unique_ptr<FilesFixture> NewPosixFixture() { return std::make_unique<PosixFixture>(); }

INSTANTIATE_TEST_SUITE_P(Posix, FilesContract, ::testing::Values(&NewPosixFixture));

}  // namespace
}  // namespace pure::store
