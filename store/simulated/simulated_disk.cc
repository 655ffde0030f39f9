#include "store/simulated/simulated_disk.h"

#include <utility>

#include "runtime/check.h"
#include "store/crc32c.h"
#include "store/simulated/disk_core.h"

namespace pure::store {
namespace {

class SimulatedMapping final : public Mapping {
 public:
  SimulatedMapping(std::shared_ptr<DiskCore> core, uint32_t file,
                   std::shared_ptr<const DiskView> view)
      : core_(std::move(core)), file_(file), view_(std::move(view)) {}
  ~SimulatedMapping() override {
    view_.reset();
    core_->CloseFile(file_);
  }

  Bytes bytes() const override { return Bytes(view_->bytes.get(), view_->size_bytes); }

  IoError Checksum(size_t offset, size_t size, uint32_t* crc) const override {
    PURE_CHECK(offset <= view_->size_bytes && size <= view_->size_bytes - offset,
               "the range lies inside the mapping");
    const IoError error = core_->CheckReadable(file_, offset, size);
    if (error != IoError::kNone) return error;
    *crc = ExtendCrc32c(*crc, bytes().substr(offset, size));
    return IoError::kNone;
  }

 private:
  const std::shared_ptr<DiskCore> core_;
  const uint32_t file_;
  std::shared_ptr<const DiskView> view_;
};

class SimulatedFile final : public File {
 public:
  SimulatedFile(std::shared_ptr<DiskCore> core, uint32_t file, std::string name, bool writable)
      : core_(std::move(core)), file_(file), name_(std::move(name)), writable_(writable) {}
  ~SimulatedFile() override { core_->CloseFile(file_); }

  IoError Size(uint64_t* size_bytes) const override { return core_->Size(file_, size_bytes); }
  IoError Read(uint64_t offset, MutableBytes into) const override {
    return core_->Read(file_, offset, into);
  }
  IoError Write(uint64_t offset, absl::Span<const Bytes> spans, uint64_t* written_bytes) override {
    *written_bytes = 0;
    if (!writable_) return IoError::kRefused;
    return core_->Write(file_, name_, offset, spans, written_bytes);
  }
  IoError Sync() override { return writable_ ? core_->Sync(file_, name_) : IoError::kRefused; }
  IoError Allocate(uint64_t size_bytes) override {
    return writable_ ? core_->Allocate(file_, name_, size_bytes) : IoError::kRefused;
  }
  IoError Map(uint64_t size_bytes, std::unique_ptr<Mapping>* mapping) override {
    std::shared_ptr<const DiskView> view;
    const IoError error = core_->Map(file_, size_bytes, &view);
    if (error == IoError::kNone) {
      *mapping = std::make_unique<SimulatedMapping>(core_, file_, std::move(view));
    }
    return error;
  }

 private:
  const std::shared_ptr<DiskCore> core_;
  const uint32_t file_;
  const std::string name_;
  const bool writable_;
};

class SimulatedLock final : public DirectoryLock {
 public:
  explicit SimulatedLock(std::shared_ptr<DiskCore> core) : core_(std::move(core)) {}
  ~SimulatedLock() override { core_->Unlock(); }

 private:
  const std::shared_ptr<DiskCore> core_;
};

class SimulatedDirectory final : public Directory {
 public:
  explicit SimulatedDirectory(std::shared_ptr<DiskCore> core) : core_(std::move(core)) {}

  IoError List(std::vector<std::string>* names) override { return core_->List(names); }
  IoError Create(const std::string& name, std::unique_ptr<File>* file) override {
    uint32_t number = 0;
    const IoError error = core_->Create(name, &number);
    if (error == IoError::kNone) {
      *file = std::make_unique<SimulatedFile>(core_, number, name, /*writable=*/true);
    }
    return error;
  }
  IoError Open(const std::string& name, bool writable, std::unique_ptr<File>* file) override {
    uint32_t number = 0;
    const IoError error = core_->Open(name, &number);
    if (error == IoError::kNone) {
      *file = std::make_unique<SimulatedFile>(core_, number, name, writable);
    }
    return error;
  }
  IoError Rename(const std::string& from, const std::string& to) override {
    return core_->Rename(from, to);
  }
  IoError Remove(const std::string& name) override { return core_->Remove(name); }
  IoError Sync() override { return core_->SyncDirectory(); }
  // A disk has no time: a lock that is held is refused at once.
  IoError Lock(int wait_ms, std::unique_ptr<DirectoryLock>* lock) override {
    static_cast<void>(wait_ms);
    const IoError error = core_->Lock();
    if (error == IoError::kNone) *lock = std::make_unique<SimulatedLock>(core_);
    return error;
  }

 private:
  const std::shared_ptr<DiskCore> core_;
};

}  // namespace

SimulatedDisk::SimulatedDisk() : SimulatedDisk(DiskImage{}, SimulatedDiskOptions{}) {}
SimulatedDisk::SimulatedDisk(const SimulatedDiskOptions& options)
    : SimulatedDisk(DiskImage{}, options) {}
SimulatedDisk::SimulatedDisk(DiskImage image, const SimulatedDiskOptions& options)
    : core_(std::make_shared<DiskCore>(std::move(image), options)) {}
SimulatedDisk::~SimulatedDisk() = default;

std::unique_ptr<Directory> SimulatedDisk::OpenDirectory() {
  return std::make_unique<SimulatedDirectory>(core_);
}

void SimulatedDisk::Mark(Bytes label, uint64_t value) { core_->Mark(label, value); }
DiskJournal SimulatedDisk::journal() const { return core_->journal(); }
uint64_t SimulatedDisk::calls() const { return core_->calls(std::nullopt); }
uint64_t SimulatedDisk::calls(CallKind kind) const { return core_->calls(kind); }
void SimulatedDisk::Inject(const DiskFault& fault) { core_->Inject(fault); }
void SimulatedDisk::ClearFaults() { core_->ClearFaults(); }
uint64_t SimulatedDisk::faults_struck() const { return core_->faults_struck(); }
void SimulatedDisk::FailReads(const std::string& name, uint64_t offset, uint64_t size_bytes) {
  core_->FailReads(name, offset, size_bytes);
}
void SimulatedDisk::SetCapacity(uint64_t capacity_bytes) { core_->SetCapacity(capacity_bytes); }
uint64_t SimulatedDisk::used_bytes() const { return core_->used_bytes(); }

DiskImage SimulatedDisk::KillImage() const { return core_->image().AfterKill(); }
DiskImage SimulatedDisk::PowerCutImage(uint64_t seed) const {
  return core_->image().AfterRandomPowerCut(seed);
}
DiskImage SimulatedDisk::LoseUnsyncedImage() const {
  const DiskImage image = core_->image();
  const std::vector<UnsettledChange> unsettled = image.Unsettled();
  return image.AfterPowerCut(unsettled, std::vector<bool>(unsettled.size()), PowerCutStyle{});
}

void SimulatedDisk::Overwrite(const std::string& name, uint64_t offset, Bytes bytes) {
  core_->Overwrite(name, offset, bytes);
}
void SimulatedDisk::Truncate(const std::string& name, uint64_t size_bytes) {
  core_->Truncate(name, size_bytes);
}
void SimulatedDisk::DropCaches(uint64_t seed) { core_->DropCaches(seed); }

std::vector<std::string> SimulatedDisk::Names() const { return core_->image().Names(); }
std::string SimulatedDisk::Content(const std::string& name) const {
  return core_->image().Content(name);
}

}  // namespace pure::store
