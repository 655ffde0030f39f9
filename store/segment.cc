#include "store/segment.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "runtime/check.h"
#include "store/planted_bug.h"

namespace pure::store {
namespace {

constexpr size_t kZeroPieceBytes = 64u << 10;
constexpr size_t kZeroPieces = 16;
// Not constant: so it takes no room in the program's file.
char zero_piece[kZeroPieceBytes];

std::string NameOf(uint64_t id) {
  char name[kSegmentNameBytes];
  return std::string(SegmentName(id, name));
}

}  // namespace

Segment::Check Segment::CheckExtent(uint64_t offset, uint64_t length, uint32_t checksum) const {
  uint32_t crc = PlaceCrc(uuid(), id(), offset);
  if (mapping_->Checksum(offset, length, &crc) != IoError::kNone) return Check::kUnreadable;
  return crc == checksum ? Check::kSound : Check::kDamaged;
}

Segment::Check Segment::CheckPart(uint64_t offset, uint64_t length, uint32_t checksum,
                                  uint64_t part_begin, uint64_t part_bytes,
                                  uint32_t* data_crc) const {
  const uint32_t place = PlaceCrc(uuid(), id(), offset);
  if (part_bytes == length) {
    *data_crc = UnbindChecksum(place, checksum, length);
    return Check::kSound;
  }
  const uint64_t part_end = part_begin + part_bytes;
  uint32_t whole = place;
  uint32_t part = 0;
  uint32_t rest = 0;
  if (mapping_->Checksum(offset, part_begin, &whole) != IoError::kNone ||
      mapping_->Checksum(offset + part_begin, part_bytes, &part) != IoError::kNone ||
      mapping_->Checksum(offset + part_end, length - part_end, &rest) != IoError::kNone) {
    return Check::kUnreadable;
  }
  whole = ConcatCrc(ConcatCrc(whole, part, part_bytes), rest, length - part_end);
  *data_crc = part;
  if (Planted(Bug::kUncheckedCut)) return Check::kSound;
  return whole == checksum ? Check::kSound : Check::kDamaged;
}

SegmentMaker::SegmentMaker(Directory* directory, const SegmentHeader& header, uint64_t zero_from)
    : directory_(directory), header_(header), name_(NameOf(header.id)), zeroed_end_(zero_from) {}

IoError SegmentMaker::StepZero() {
  const uint64_t size = std::min(kZeroStepBytes, header_.length_bytes - zeroed_end_);
  std::array<Bytes, kZeroPieces> pieces;
  static_assert(kZeroPieces * kZeroPieceBytes == kZeroStepBytes, "one step fills all pieces");
  size_t count = 0;
  for (uint64_t left = size; left > 0; ++count) {
    pieces[count] = Bytes(zero_piece, std::min<uint64_t>(left, kZeroPieceBytes));
    left -= pieces[count].size();
  }
  uint64_t written_bytes = 0;
  const IoError error =
      file_->Write(zeroed_end_, absl::MakeConstSpan(pieces).first(count), &written_bytes);
  zeroed_end_ += size;
  return error;
}

IoError SegmentMaker::WriteHeader() {
  std::array<char, kSegmentHeaderBytes> block;
  EncodeSegmentHeader(header_, absl::MakeSpan(block));
  const Bytes spans[] = {Bytes(block.data(), block.size())};
  uint64_t written_bytes = 0;
  return file_->Write(0, spans, &written_bytes);
}

IoFailure SegmentMaker::Step() {
  PURE_CHECK(!done(), "the segment is made");
  IoFailure failure;
  const char* call = "";
  switch (stage_) {
    case Stage::kCreate:
      call = "creating ";
      failure.error = directory_->Create(name_, &file_);
      break;
    case Stage::kAllocate:
      call = "reserving ";
      failure.error = file_->Allocate(header_.length_bytes);
      break;
    case Stage::kZero:
      call = "zeroing ";
      if (zeroed_end_ < header_.length_bytes) failure.error = StepZero();
      if (!failure && zeroed_end_ < header_.length_bytes) return {};
      break;
    case Stage::kHeader:
      call = "writing the header of ";
      failure.error = WriteHeader();
      break;
    case Stage::kSync:
      call = "sync of ";
      failure.sync = true;
      failure.error = file_->Sync();
      break;
    case Stage::kSyncDirectory:
      if (Planted(Bug::kSkipDirectorySync)) break;
      call = "sync of the directory for ";
      failure.sync = true;
      failure.error = directory_->Sync();
      break;
    case Stage::kMap:
      call = "mapping ";
      failure.error = file_->Map(header_.length_bytes, &mapping_);
      break;
    case Stage::kDone:
      break;
  }
  if (failure) {
    failure.what = absl::StrCat(call, name_);
    return failure;
  }
  stage_ = static_cast<Stage>(static_cast<uint8_t>(stage_) + 1);
  return {};
}

IoFailure SegmentMaker::FinishAll() {
  while (!done()) {
    if (IoFailure failure = Step()) return failure;
  }
  return {};
}

IoFailure SegmentMaker::Prepare() {
  while (stage_ < Stage::kSync) {
    if (IoFailure failure = Step()) return failure;
  }
  return {};
}

SegmentHold SegmentMaker::Take() {
  PURE_CHECK(done() && file_ != nullptr, "the segment is not made, or taken");
  return SegmentHold(new Segment(header_, std::move(file_), std::move(mapping_)));
}

void SegmentMaker::Abandon() {
  if (file_ == nullptr) return;
  mapping_.reset();
  file_.reset();
  // When it can not be removed now, the next opening does it: no manifest names it.
  (void)directory_->Remove(name_);
}

namespace {

absl::Status Failed(IoError error, const char* call, const std::string& name) {
  return StatusOf({.error = error, .what = absl::StrCat(call, name)});
}

// *header is sound where *decoded is kOk.
absl::Status ReadHeader(const File& file, const std::string& name, const StoreUuid& uuid,
                        SegmentHeader* header, Decoded* decoded) {
  std::array<char, kSegmentHeaderBytes> block;
  const IoError error = file.Read(0, absl::MakeSpan(block));
  if (error != IoError::kNone) return Failed(error, "reading the header of ", name);
  *decoded = DecodeSegmentHeader(Bytes(block.data(), block.size()), header);
  if (*decoded == Decoded::kVersion) {
    return absl::FailedPreconditionError(absl::StrCat(name, " has another format version"));
  }
  if (*decoded == Decoded::kOk && !(header->uuid == uuid)) {
    return absl::FailedPreconditionError(absl::StrCat(name, " belongs to another store"));
  }
  return absl::OkStatus();
}

absl::Status MapSegment(const SegmentHeader& header, const std::string& name,
                        std::unique_ptr<File> file, SegmentHold* segment) {
  std::unique_ptr<Mapping> mapping;
  const IoError error = file->Map(header.length_bytes, &mapping);
  if (error != IoError::kNone) return Failed(error, "mapping ", name);
  segment->reset(new Segment(header, std::move(file), std::move(mapping)));
  return absl::OkStatus();
}

}  // namespace

absl::Status OpenSegment(Directory* directory, const StoreUuid& uuid, uint64_t id,
                         uint64_t length_bytes, uint64_t salt, bool writable,
                         SegmentHold* segment) {
  const std::string name = NameOf(id);
  std::unique_ptr<File> file;
  IoError error = directory->Open(name, writable, &file);
  if (error == IoError::kNotFound) return DamageStatus(id, 0, "the segment is missing");
  if (error != IoError::kNone) return Failed(error, "opening ", name);
  uint64_t size = 0;
  error = file->Size(&size);
  if (error != IoError::kNone) return Failed(error, "size of ", name);
  if (size < length_bytes) return DamageStatus(id, size, "the segment was cut short here");
  SegmentHeader header;
  Decoded decoded = Decoded::kBad;
  const absl::Status status = ReadHeader(*file, name, uuid, &header, &decoded);
  if (!status.ok()) return status;
  if (decoded != Decoded::kOk) {
    return DamageStatus(id, 0, "the segment's header does not hold");
  }
  if (header.id != id || header.salt != salt || header.length_bytes != length_bytes) {
    return DamageStatus(id, 0, "it is another segment than the one that the manifest names");
  }
  return MapSegment(header, name, std::move(file), segment);
}

absl::Status OpenUnnamedSegment(Directory* directory, const StoreUuid& uuid, uint64_t id,
                                SegmentHold* segment) {
  const std::string name = NameOf(id);
  std::unique_ptr<File> file;
  IoError error = directory->Open(name, false, &file);
  if (error != IoError::kNone) return Failed(error, "opening ", name);
  uint64_t size = 0;
  error = file->Size(&size);
  if (error != IoError::kNone) return Failed(error, "size of ", name);
  if (size < kSegmentHeaderBytes) return absl::OkStatus();
  SegmentHeader header;
  Decoded decoded = Decoded::kBad;
  const absl::Status status = ReadHeader(*file, name, uuid, &header, &decoded);
  if (!status.ok()) return status;
  if (decoded != Decoded::kOk || header.id != id || header.length_bytes > size) {
    return absl::OkStatus();
  }
  return MapSegment(header, name, std::move(file), segment);
}

}  // namespace pure::store
