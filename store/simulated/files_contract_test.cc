#include "store/testing/files_contract.h"

#include "store/simulated/simulated_disk.h"

namespace pure::store {
namespace {

class SimulatedFixture final : public FilesFixture {
 public:
  std::unique_ptr<Directory> OpenDirectory() override { return disk_.OpenDirectory(); }
  void Truncate(const std::string& name, uint64_t size_bytes) override {
    disk_.Truncate(name, size_bytes);
  }

 private:
  SimulatedDisk disk_;
};

std::unique_ptr<FilesFixture> NewSimulatedFixture() { return std::make_unique<SimulatedFixture>(); }

INSTANTIATE_TEST_SUITE_P(Simulated, FilesContract, ::testing::Values(&NewSimulatedFixture));

}  // namespace
}  // namespace pure::store
