// The extent store keeps the contract of the port, on the simulated disk and on the real one.

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "runtime/check.h"
#include "store/background.h"
#include "store/extent_store.h"
#include "store/posix/posix_files.h"
#include "store/posix/temporary_directory.h"
#include "store/simulated/simulated_disk.h"
#include "store/testing/store_contract.h"
#include "tests/testing/seeded_entropy.h"
#include "tests/testing/simulated_clock.h"

namespace pure::store {
namespace {

class ExtentFixture : public StoreFixture {
 public:
  Store* store() override { return store_.get(); }
  void Destroy() override {
    background_.reset();
    store_.reset();
  }

 protected:
  void Open(std::unique_ptr<Directory> directory) {
    auto store = ExtentStore::Open(std::move(directory), {.segment_bytes = 1u << 20,
                                                          .first_segment_bytes = 64u << 10,
                                                          .save_bytes_max = kSaveBytesMax,
                                                          .entropy = &entropy_});
    PURE_CHECK(store.ok(), "a fresh store opens");
    store_ = *std::move(store);
    background_ = std::make_unique<Background>(store_.get(), &clock_);
  }

 private:
  pure::testing::SeededEntropy entropy_{1};
  pure::testing::SimulatedClock clock_;
  std::unique_ptr<ExtentStore> store_;
  std::unique_ptr<Background> background_;
};

class SimulatedFixture final : public ExtentFixture {
 public:
  SimulatedFixture() : disk_(SimulatedDiskOptions{.keep_journal = false}) {
    Open(disk_.OpenDirectory());
  }

 private:
  SimulatedDisk disk_;
};

class PosixFixture final : public ExtentFixture {
 public:
  PosixFixture() {
    auto directory = OpenDirectory(temporary_.Path("store"));
    PURE_CHECK(directory.ok(), "a fresh directory can be made");
    Open(*std::move(directory));
  }
  ~PosixFixture() override { Destroy(); }

 private:
  TemporaryDirectory temporary_;
};

std::unique_ptr<StoreFixture> NewSimulatedFixture() { return std::make_unique<SimulatedFixture>(); }
std::unique_ptr<StoreFixture> NewPosixFixture() { return std::make_unique<PosixFixture>(); }

INSTANTIATE_TEST_SUITE_P(Simulated, StoreContract, ::testing::Values(&NewSimulatedFixture));
INSTANTIATE_TEST_SUITE_P(Posix, StoreContract, ::testing::Values(&NewPosixFixture));

}  // namespace
}  // namespace pure::store
