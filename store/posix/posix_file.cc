#include "store/posix/posix_file.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <utility>

#include "runtime/check.h"
#include "store/posix/bus_guard.h"
#include "store/posix/io_errno.h"

namespace pure::store {
namespace {

// What one pwritev takes: Linux's UIO_MAXIOV.
constexpr size_t kIovecsMax = 1024;
// Signals must not keep a call from ending: after so many in a row it is given up.
constexpr int kInterruptionsMax = 100;
constexpr size_t kZerosBytes = 65536;

bool FitsOffset(uint64_t offset, uint64_t size) {
  constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<off_t>::max());
  return offset <= kMax && size <= kMax - offset;
}

class PosixMapping final : public Mapping {
 public:
  // Owns the mapping; null when it is empty.
  PosixMapping(void* memory, size_t size_bytes) : memory_(memory), size_bytes_(size_bytes) {}
  PosixMapping(const PosixMapping&) = delete;
  PosixMapping& operator=(const PosixMapping&) = delete;
  ~PosixMapping() override {
    if (memory_ != nullptr) munmap(memory_, size_bytes_);
  }

  Bytes bytes() const override { return Bytes(static_cast<const char*>(memory_), size_bytes_); }

  IoError Checksum(size_t offset, size_t size, uint32_t* crc) const override {
    PURE_CHECK(offset <= size_bytes_ && size <= size_bytes_ - offset,
               "the range lies inside the mapping");
    const bool readable = GuardedChecksum(bytes().substr(offset, size), crc);
    return readable ? IoError::kNone : IoError::kInputOutput;
  }

 private:
  void* const memory_;
  const size_t size_bytes_;
};

// The spans as iovecs, cut to what one call takes, from the first byte not yet written.
class IovecWindow final {
 public:
  explicit IovecWindow(absl::Span<const Bytes> spans) : spans_(spans) { SkipEmpty(); }

  bool done() const { return index_ == spans_.size(); }

  absl::Span<const iovec> Fill() {
    size_t count = 0;
    size_t skip = written_in_span_;
    for (size_t i = index_; i < spans_.size() && count < iovecs_.size(); ++i, skip = 0) {
      if (spans_[i].empty()) continue;
      // pwritev does not change what it is given; its type is shared with preadv.
      iovecs_[count].iov_base = const_cast<char*>(spans_[i].data() + skip);
      iovecs_[count].iov_len = spans_[i].size() - skip;
      ++count;
    }
    return absl::MakeConstSpan(iovecs_.data(), count);
  }

  void Advance(size_t written) {
    while (written > 0) {
      const size_t count = std::min(written, spans_[index_].size() - written_in_span_);
      written -= count;
      written_in_span_ += count;
      SkipEmpty();
    }
  }

 private:
  void SkipEmpty() {
    while (index_ < spans_.size() && written_in_span_ == spans_[index_].size()) {
      ++index_;
      written_in_span_ = 0;
    }
  }

  const absl::Span<const Bytes> spans_;
  size_t index_ = 0;
  size_t written_in_span_ = 0;
  std::array<iovec, kIovecsMax> iovecs_;
};

class PosixFile final : public File {
 public:
  PosixFile(FileDescriptor descriptor, bool writable)
      : descriptor_(std::move(descriptor)), writable_(writable) {}

  IoError Size(uint64_t* size_bytes) const override {
    struct stat status;
    if (fstat(descriptor_.get(), &status) != 0) return IoErrorFromErrno(errno);
    *size_bytes = static_cast<uint64_t>(status.st_size);
    return IoError::kNone;
  }

  IoError Read(uint64_t offset, MutableBytes into) const override;
  IoError Write(uint64_t offset, absl::Span<const Bytes> spans, uint64_t* written_bytes) override;
  IoError Sync() override;
  IoError Allocate(uint64_t size_bytes) override;
  IoError Map(uint64_t size_bytes, std::unique_ptr<Mapping>* mapping) override;

 private:
  // Where the file system has no fallocate: zeros reserve as well.
  IoError AppendZeros(uint64_t size_bytes);

  const FileDescriptor descriptor_;
  const bool writable_;
};

IoError PosixFile::Read(uint64_t offset, MutableBytes into) const {
  if (!FitsOffset(offset, into.size())) return IoError::kInputOutput;
  size_t done = 0;
  int interruptions = 0;
  while (done < into.size()) {
    const ssize_t count = pread(descriptor_.get(), into.data() + done, into.size() - done,
                                static_cast<off_t>(offset + done));
    if (count > 0) {
      done += static_cast<size_t>(count);
      interruptions = 0;
    } else if (count == 0) {
      return IoError::kInputOutput;  // the end of the file
    } else if (errno != EINTR || ++interruptions > kInterruptionsMax) {
      return IoErrorFromErrno(errno);
    }
  }
  return IoError::kNone;
}

IoError PosixFile::Write(uint64_t offset, absl::Span<const Bytes> spans, uint64_t* written_bytes) {
  *written_bytes = 0;
  if (!writable_) return IoError::kRefused;
  IovecWindow window(spans);
  int interruptions = 0;
  while (!window.done()) {
    const uint64_t position = offset + *written_bytes;
    if (!FitsOffset(position, 1)) return IoError::kTooLarge;
    const absl::Span<const iovec> iovecs = window.Fill();
    const ssize_t count = pwritev(descriptor_.get(), iovecs.data(), static_cast<int>(iovecs.size()),
                                  static_cast<off_t>(position));
    if (count > 0) {
      *written_bytes += static_cast<uint64_t>(count);
      window.Advance(static_cast<size_t>(count));
      interruptions = 0;
    } else if (count == 0) {
      return IoError::kInputOutput;  // never for a plain file; would go round for ever
    } else if (errno != EINTR || ++interruptions > kInterruptionsMax) {
      return IoErrorFromErrno(errno);
    }
  }
  return IoError::kNone;
}

// Once: any failure, EINTR too, may have dropped dirty pages, and a second call would not say.
IoError PosixFile::Sync() {
  if (!writable_) return IoError::kRefused;
  return fdatasync(descriptor_.get()) == 0 ? IoError::kNone : IoErrorFromErrno(errno);
}

IoError PosixFile::Allocate(uint64_t size_bytes) {
  if (!writable_) return IoError::kRefused;
  if (size_bytes == 0) return IoError::kNone;
  if (!FitsOffset(0, size_bytes)) return IoError::kTooLarge;
  int interruptions = 0;
  while (fallocate(descriptor_.get(), /*mode=*/0, 0, static_cast<off_t>(size_bytes)) != 0) {
    if (errno == EOPNOTSUPP || errno == ENOSYS) return AppendZeros(size_bytes);
    if (errno != EINTR || ++interruptions > kInterruptionsMax) return IoErrorFromErrno(errno);
  }
  return IoError::kNone;
}

IoError PosixFile::AppendZeros(uint64_t size_bytes) {
  static constexpr std::array<char, kZerosBytes> kZeros = {};
  uint64_t old_bytes = 0;
  IoError error = Size(&old_bytes);
  for (uint64_t end = old_bytes; error == IoError::kNone && end < size_bytes;) {
    const Bytes zeros(kZeros.data(), std::min<uint64_t>(kZeros.size(), size_bytes - end));
    uint64_t written_bytes = 0;
    error = Write(end, {zeros}, &written_bytes);
    end += written_bytes;
  }
  if (error == IoError::kNone) return IoError::kNone;
  // Gives the space back. The error to tell is the one before; a longer file would do no harm.
  if (ftruncate(descriptor_.get(), static_cast<off_t>(old_bytes)) != 0) return error;
  return error;
}

IoError PosixFile::Map(uint64_t size_bytes, std::unique_ptr<Mapping>* mapping) {
  uint64_t file_bytes = 0;
  const IoError error = Size(&file_bytes);
  if (error != IoError::kNone) return error;
  if (size_bytes > file_bytes) return IoError::kInputOutput;
  if (size_bytes > std::numeric_limits<size_t>::max()) return IoError::kMemory;
  void* memory = nullptr;
  if (size_bytes > 0) {
    memory =
        mmap(nullptr, static_cast<size_t>(size_bytes), PROT_READ, MAP_SHARED, descriptor_.get(), 0);
    if (memory == MAP_FAILED) return IoErrorFromErrno(errno);
  }
  *mapping = std::make_unique<PosixMapping>(memory, static_cast<size_t>(size_bytes));
  return IoError::kNone;
}

}  // namespace

std::unique_ptr<File> NewPosixFile(FileDescriptor descriptor, bool writable) {
  return std::make_unique<PosixFile>(std::move(descriptor), writable);
}

}  // namespace pure::store
