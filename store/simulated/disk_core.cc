#include "store/simulated/disk_core.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "runtime/check.h"

namespace pure::store {
namespace {

bool IsPlainName(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

}  // namespace

// --- calls of the directory ---

IoError DiskCore::List(std::vector<std::string>* names) {
  absl::MutexLock lock(&mutex_);
  const IoError fault = Begin(CallKind::kList);
  if (fault == IoError::kNone) *names = image_.Names();
  return fault;
}

IoError DiskCore::CreateFile(const std::string& name, IoError fault, uint32_t* file) {
  DiskOperation operation;
  operation.kind = CallKind::kCreate;
  operation.name = name;
  operation.error = fault;
  if (fault == IoError::kNone && !IsPlainName(name)) operation.error = IoError::kRefused;
  if (operation.error == IoError::kNone && image_.FileOf(name) != 0) {
    operation.error = IoError::kExists;
  }
  operation.file = image_.NextFile();
  *file = operation.file;
  return Finish(std::move(operation));
}

IoError DiskCore::Create(const std::string& name, uint32_t* file) {
  absl::MutexLock lock(&mutex_);
  const IoError error = CreateFile(name, Begin(CallKind::kCreate), file);
  if (error == IoError::kNone) ++open_counts_[*file];
  return error;
}

IoError DiskCore::Open(const std::string& name, uint32_t* file) {
  absl::MutexLock lock(&mutex_);
  const IoError fault = Begin(CallKind::kOpen);
  if (fault != IoError::kNone) return fault;
  if (!IsPlainName(name)) return IoError::kRefused;
  *file = image_.FileOf(name);
  if (*file == 0) return IoError::kNotFound;
  ++open_counts_[*file];
  return IoError::kNone;
}

IoError DiskCore::Rename(const std::string& from, const std::string& to) {
  absl::MutexLock lock(&mutex_);
  DiskOperation operation;
  operation.kind = CallKind::kRename;
  operation.name = from;
  operation.to = to;
  operation.error = Begin(CallKind::kRename);
  if (operation.error == IoError::kNone && !(IsPlainName(from) && IsPlainName(to))) {
    operation.error = IoError::kRefused;
  }
  if (operation.error == IoError::kNone && image_.FileOf(from) == 0) {
    operation.error = IoError::kNotFound;
  }
  return Finish(std::move(operation));
}

IoError DiskCore::Remove(const std::string& name) {
  absl::MutexLock lock(&mutex_);
  DiskOperation operation;
  operation.kind = CallKind::kRemove;
  operation.name = name;
  operation.error = Begin(CallKind::kRemove);
  if (operation.error == IoError::kNone && !IsPlainName(name)) {
    operation.error = IoError::kRefused;
  }
  if (operation.error == IoError::kNone && image_.FileOf(name) == 0) {
    operation.error = IoError::kNotFound;
  }
  return Finish(std::move(operation));
}

IoError DiskCore::SyncDirectory() {
  absl::MutexLock lock(&mutex_);
  DiskOperation operation;
  operation.kind = CallKind::kSyncDirectory;
  operation.error = Begin(CallKind::kSyncDirectory);
  const IoError error = Finish(std::move(operation));
  if (error == IoError::kNone) {
    image_.ForgetUnreachable([this](uint32_t file)
                                 ABSL_NO_THREAD_SAFETY_ANALYSIS { return IsOpen(file); });
  }
  return error;
}

IoError DiskCore::Lock() {
  absl::MutexLock lock(&mutex_);
  const IoError fault = Begin(CallKind::kLock);
  if (fault != IoError::kNone) return fault;
  const std::string name(kLockFileName);
  uint32_t file = 0;
  if (image_.FileOf(name) == 0) {
    const IoError error = CreateFile(name, IoError::kNone, &file);
    if (error != IoError::kNone) return error;
  }
  if (locked_) return IoError::kLocked;
  locked_ = true;
  return IoError::kNone;
}

void DiskCore::Unlock() {
  absl::MutexLock lock(&mutex_);
  locked_ = false;
}

// --- calls of files ---

IoError DiskCore::Size(uint32_t file, uint64_t* size_bytes) {
  absl::MutexLock lock(&mutex_);
  const IoError fault = Begin(CallKind::kSize);
  if (fault == IoError::kNone) *size_bytes = image_.SizeOf(file);
  return fault;
}

IoError DiskCore::Read(uint32_t file, uint64_t offset, MutableBytes into) {
  absl::MutexLock lock(&mutex_);
  const IoError fault = Begin(CallKind::kRead);
  if (fault != IoError::kNone) return fault;
  const uint64_t size_bytes = image_.SizeOf(file);
  if (offset > size_bytes || into.size() > size_bytes - offset ||
      IsUnreadable(file, offset, into.size())) {
    return IoError::kInputOutput;
  }
  image_.Read(file, offset, into);
  return IoError::kNone;
}

IoError DiskCore::Write(uint32_t file, const std::string& name, uint64_t offset,
                        absl::Span<const Bytes> spans, uint64_t* written_bytes) {
  auto bytes = std::make_shared<std::string>();
  for (const Bytes span : spans) bytes->append(span);
  absl::MutexLock lock(&mutex_);
  DiskOperation operation;
  operation.kind = CallKind::kWrite;
  operation.file = file;
  operation.name = name;
  operation.offset = offset;
  operation.size_bytes = bytes->size();
  uint64_t fault_bytes = 0;
  operation.error = Begin(CallKind::kWrite, &fault_bytes);
  if (operation.error != IoError::kNone && fault_bytes < bytes->size()) bytes->resize(fault_bytes);
  const uint64_t room_bytes = RoomBytes(file);
  const uint64_t fits = room_bytes > offset ? room_bytes - offset : 0;
  if (bytes->size() > fits) {
    bytes->resize(fits);
    if (operation.error == IoError::kNone) operation.error = IoError::kNoSpace;
  }
  *written_bytes = bytes->size();
  operation.bytes = bytes;
  const IoError error = Finish(std::move(operation));
  UpdateViews(file, offset, *bytes);
  return error;
}

IoError DiskCore::Sync(uint32_t file, const std::string& name) {
  absl::MutexLock lock(&mutex_);
  DiskOperation operation;
  operation.kind = CallKind::kSync;
  operation.file = file;
  operation.name = name;
  operation.error = Begin(CallKind::kSync);
  return Finish(std::move(operation));
}

IoError DiskCore::Allocate(uint32_t file, const std::string& name, uint64_t size_bytes) {
  absl::MutexLock lock(&mutex_);
  DiskOperation operation;
  operation.kind = CallKind::kAllocate;
  operation.file = file;
  operation.name = name;
  operation.size_bytes = size_bytes;
  operation.error = Begin(CallKind::kAllocate);
  if (operation.error == IoError::kNone && size_bytes > RoomBytes(file)) {
    operation.error = IoError::kNoSpace;
  }
  return Finish(std::move(operation));
}

IoError DiskCore::Map(uint32_t file, uint64_t size_bytes, std::shared_ptr<const DiskView>* view) {
  absl::MutexLock lock(&mutex_);
  const IoError fault = Begin(CallKind::kMap);
  if (fault != IoError::kNone) return fault;
  if (size_bytes > image_.SizeOf(file)) return IoError::kInputOutput;
  ++open_counts_[file];
  std::vector<std::weak_ptr<DiskView>>& views = views_[file];
  for (const std::weak_ptr<DiskView>& candidate : views) {
    std::shared_ptr<DiskView> live = candidate.lock();
    if (live == nullptr || live->size_bytes != size_bytes) continue;
    *view = std::move(live);
    return IoError::kNone;
  }
  auto fresh = std::make_shared<DiskView>();
  fresh->bytes.reset(static_cast<char*>(std::calloc(size_bytes + 1, 1)));
  PURE_CHECK(fresh->bytes != nullptr, "tests have memory");
  fresh->size_bytes = size_bytes;
  image_.ReadIntoZeros(file, MutableBytes(fresh->bytes.get(), size_bytes));
  views.push_back(fresh);
  *view = std::move(fresh);
  return IoError::kNone;
}

IoError DiskCore::CheckReadable(uint32_t file, uint64_t offset, size_t size) {
  absl::MutexLock lock(&mutex_);
  const IoError fault = Begin(CallKind::kChecksum);
  if (fault != IoError::kNone) return fault;
  const uint64_t size_bytes = image_.SizeOf(file);
  if (offset > size_bytes || size > size_bytes - offset || IsUnreadable(file, offset, size)) {
    return IoError::kInputOutput;
  }
  return IoError::kNone;
}

void DiskCore::CloseFile(uint32_t file) {
  absl::MutexLock lock(&mutex_);
  if (--open_counts_[file] > 0) return;
  open_counts_.erase(file);
  views_.erase(file);
  image_.ForgetUnreachable([this](uint32_t other)
                               ABSL_NO_THREAD_SAFETY_ANALYSIS { return IsOpen(other); });
}

// --- inside ---

IoError DiskCore::Begin(CallKind kind, uint64_t* written_bytes) {
  ++calls_[static_cast<size_t>(kind)];
  IoError error = IoError::kNone;
  for (ArmedFault& armed : faults_) {
    if (armed.fault.kind.has_value() && *armed.fault.kind != kind) continue;
    const uint64_t place = armed.matched++;
    const bool strikes =
        armed.fault.for_ever ? place >= armed.fault.skip : place == armed.fault.skip;
    if (!strikes || error != IoError::kNone) continue;
    armed.struck = true;
    error = armed.fault.error;
    if (written_bytes != nullptr) *written_bytes = armed.fault.written_bytes;
  }
  return error;
}

IoError DiskCore::Finish(DiskOperation operation) {
  const IoError error = operation.error;
  image_.Apply(operation);
  if (keep_journal_) journal_.operations.push_back(std::move(operation));
  return error;
}

bool DiskCore::IsOpen(uint32_t file) const { return open_counts_.count(file) != 0; }

uint64_t DiskCore::UsedBytes() const {
  return image_.UsedBytes([this](uint32_t file)
                              ABSL_NO_THREAD_SAFETY_ANALYSIS { return IsOpen(file); });
}

uint64_t DiskCore::RoomBytes(uint32_t file) const {
  if (capacity_bytes_ == std::numeric_limits<uint64_t>::max()) return capacity_bytes_;
  const uint64_t own_bytes = (image_.SizeOf(file) + kPageBytes - 1) / kPageBytes * kPageBytes;
  const uint64_t used_bytes = UsedBytes();
  // When capacity was taken away: what the file has may still be written over.
  if (used_bytes >= capacity_bytes_) return own_bytes;
  return own_bytes + (capacity_bytes_ - used_bytes) / kPageBytes * kPageBytes;
}

bool DiskCore::IsUnreadable(uint32_t file, uint64_t offset, uint64_t size) const {
  return std::any_of(unreadable_.begin(), unreadable_.end(), [&](const UnreadableRange& range) {
    return range.file == file && offset < range.end && offset + size > range.begin;
  });
}

void DiskCore::UpdateViews(uint32_t file, uint64_t offset, Bytes bytes) {
  const auto it = views_.find(file);
  if (it == views_.end()) return;
  for (const std::weak_ptr<DiskView>& candidate : it->second) {
    const std::shared_ptr<DiskView> view = candidate.lock();
    if (view == nullptr || offset >= view->size_bytes) continue;
    const size_t count = std::min<uint64_t>(bytes.size(), view->size_bytes - offset);
    std::memcpy(view->bytes.get() + offset, bytes.data(), count);
  }
}

void DiskCore::RestartJournal() {
  journal_.operations.clear();
  journal_.initial = image_;
}

uint32_t DiskCore::MustFind(const std::string& name) const {
  const uint32_t file = image_.FileOf(name);
  PURE_CHECK(file != 0, "the file exists");
  return file;
}

void DiskCore::Mark(Bytes label, uint64_t value) {
  absl::MutexLock lock(&mutex_);
  DiskOperation operation;
  operation.name = std::string(label);
  operation.size_bytes = value;
  if (keep_journal_) journal_.operations.push_back(std::move(operation));
}

DiskJournal DiskCore::journal() const {
  absl::MutexLock lock(&mutex_);
  return journal_;
}

uint64_t DiskCore::calls(std::optional<CallKind> kind) const {
  absl::MutexLock lock(&mutex_);
  if (kind.has_value()) return calls_[static_cast<size_t>(*kind)];
  uint64_t sum = 0;
  for (const uint64_t count : calls_) sum += count;
  return sum;
}

void DiskCore::Inject(const DiskFault& fault) {
  absl::MutexLock lock(&mutex_);
  faults_.push_back({fault});
}

void DiskCore::ClearFaults() {
  absl::MutexLock lock(&mutex_);
  faults_.clear();
  unreadable_.clear();
}

uint64_t DiskCore::faults_struck() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<uint64_t>(std::count_if(faults_.begin(), faults_.end(),
                                             [](const ArmedFault& armed) { return armed.struck; }));
}

void DiskCore::FailReads(const std::string& name, uint64_t offset, uint64_t size_bytes) {
  absl::MutexLock lock(&mutex_);
  unreadable_.push_back({MustFind(name), offset, offset + size_bytes});
}

void DiskCore::SetCapacity(uint64_t capacity_bytes) {
  absl::MutexLock lock(&mutex_);
  capacity_bytes_ = capacity_bytes;
}

uint64_t DiskCore::used_bytes() const {
  absl::MutexLock lock(&mutex_);
  return UsedBytes();
}

DiskImage DiskCore::image() const {
  absl::MutexLock lock(&mutex_);
  return image_;
}

void DiskCore::Overwrite(const std::string& name, uint64_t offset, Bytes bytes) {
  absl::MutexLock lock(&mutex_);
  const uint32_t file = MustFind(name);
  image_.Overwrite(file, offset, bytes);
  UpdateViews(file, offset, bytes);
  RestartJournal();
}

void DiskCore::Truncate(const std::string& name, uint64_t size_bytes) {
  absl::MutexLock lock(&mutex_);
  image_.Truncate(MustFind(name), size_bytes);
  RestartJournal();
}

void DiskCore::DropCaches(uint64_t seed) {
  absl::MutexLock lock(&mutex_);
  for (const std::string& name : image_.Names()) {
    const uint32_t file = image_.FileOf(name);
    const auto it = views_.find(file);
    const bool is_mapped =
        it != views_.end() && std::any_of(it->second.begin(), it->second.end(),
                                          [](const auto& view) { return !view.expired(); });
    if (!is_mapped) image_.DropCache(file, seed + file);
  }
  RestartJournal();
}

}  // namespace pure::store
