#include "store/manifest.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "store/planted_bug.h"
#include "store/wire.h"

namespace pure::store {
namespace {

constexpr char kMagic[] = "PUREMAN\n";
constexpr size_t kMagicBytes = 8;
constexpr size_t kHeaderBytes = 128;
constexpr size_t kSegmentBytes = 80;
constexpr size_t kCrcBytes = 4;
constexpr uint32_t kCleanFlag = 1;
constexpr uint32_t kSealedFlag = 1;
constexpr uint64_t kManifestBytesMax = 64u << 20;  // 800,000 segments
// A store that makes a million segments a second comes here in 292,000 years.
constexpr uint64_t kNextSegmentMax = uint64_t{1} << 63;

void EncodeSegment(const ManifestSegment& segment, char* at) {
  PutU64(at, segment.id);
  PutU64(at + 8, segment.length_bytes);
  PutU64(at + 16, segment.salt);
  PutU64(at + 24, segment.end_bytes);
  PutU64(at + 32, segment.base_seq);
  PutU64(at + 40, segment.base_chain);
  PutU64(at + 48, segment.last_seq);
  PutU64(at + 56, segment.last_chain);
  PutU32(at + 64, segment.sealed ? kSealedFlag : 0);
}

bool DecodeSegment(const char* at, ManifestSegment* segment) {
  segment->id = GetU64(at);
  segment->length_bytes = GetU64(at + 8);
  segment->salt = GetU64(at + 16);
  segment->end_bytes = GetU64(at + 24);
  segment->base_seq = GetU64(at + 32);
  segment->base_chain = GetU64(at + 40);
  segment->last_seq = GetU64(at + 48);
  segment->last_chain = GetU64(at + 56);
  segment->sealed = GetU32(at + 64) == kSealedFlag;
  return GetU32(at + 64) <= kSealedFlag && segment->end_bytes >= kSegmentHeaderBytes &&
         segment->end_bytes % kBlockBytes == 0 && segment->length_bytes % kBlockBytes == 0 &&
         segment->end_bytes <= segment->length_bytes;
}

absl::Status ManifestDamage(Bytes what) {
  return absl::DataLossError(absl::StrCat("the store is damaged: ", kManifestName, ": ", what));
}

uint64_t EncodedBytes(size_t segments) {
  const uint64_t bytes = kHeaderBytes + segments * kSegmentBytes + kCrcBytes;
  return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
}

IoError CreateNew(Directory* directory, std::unique_ptr<File>* file) {
  IoError error = directory->Create(kManifestNewName, file);
  if (error != IoError::kExists) return error;
  error = directory->Remove(kManifestNewName);  // another run left it
  return error == IoError::kNone ? directory->Create(kManifestNewName, file) : error;
}

IoFailure Failed(IoError error, const char* call, bool sync = false) {
  return {.error = error, .sync = sync, .what = absl::StrCat(call, " ", kManifestNewName)};
}

}  // namespace

std::string EncodeManifest(const Manifest& manifest, uint64_t bytes_min) {
  const uint64_t whole_blocks = (bytes_min + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  std::string bytes(std::max(EncodedBytes(manifest.segments.size()), whole_blocks), '\0');
  const size_t body = bytes.size() - kCrcBytes;
  char* at = bytes.data();
  std::memcpy(at, kMagic, kMagicBytes);
  PutU32(at + 8, kFormatVersion);
  PutU32(at + 12, static_cast<uint32_t>(manifest.segments.size()));
  PutU64(at + 16, manifest.uuid.high);
  PutU64(at + 24, manifest.uuid.low);
  PutU64(at + 32, manifest.epoch);
  PutU64(at + 40, manifest.next_segment);
  PutU32(at + 48, manifest.clean ? kCleanFlag : 0);
  PutU64(at + 56, manifest.removed_seq);
  PutU64(at + 64, manifest.removed_chain);
  PutU64(at + 72, manifest.checkpoint.id);
  PutU64(at + 80, manifest.checkpoint.size_bytes);
  PutU64(at + 88, manifest.checkpoint.covers_seq);
  for (size_t i = 0; i < manifest.segments.size(); ++i) {
    EncodeSegment(manifest.segments[i], at + kHeaderBytes + i * kSegmentBytes);
  }
  PutU32(at + body, Crc(Bytes(at, body)));
  return bytes;
}

Decoded DecodeManifest(Bytes bytes, Manifest* manifest, uint32_t* version) {
  if (bytes.size() < kHeaderBytes + kCrcBytes) return Decoded::kBad;
  const char* at = bytes.data();
  if (std::memcmp(at, kMagic, kMagicBytes) != 0) return Decoded::kBad;
  const size_t body = bytes.size() - kCrcBytes;
  if (GetU32(at + body) != Crc(bytes.substr(0, body))) return Decoded::kBad;
  *version = GetU32(at + 8);
  if (*version != kFormatVersion) return Decoded::kVersion;
  const size_t count = GetU32(at + 12);
  if (count > (body - kHeaderBytes) / kSegmentBytes) return Decoded::kBad;
  const Bytes rest = bytes.substr(0, body).substr(kHeaderBytes + count * kSegmentBytes);
  if (std::any_of(rest.begin(), rest.end(), [](char c) { return c != 0; })) return Decoded::kBad;
  manifest->uuid = {GetU64(at + 16), GetU64(at + 24)};
  manifest->epoch = GetU64(at + 32);
  manifest->next_segment = GetU64(at + 40);
  manifest->removed_seq = GetU64(at + 56);
  manifest->removed_chain = GetU64(at + 64);
  manifest->checkpoint = {GetU64(at + 72), GetU64(at + 80), GetU64(at + 88)};
  manifest->clean = GetU32(at + 48) == kCleanFlag;
  if (GetU32(at + 48) > kCleanFlag) return Decoded::kBad;
  if (manifest->next_segment == 0 || manifest->next_segment > kNextSegmentMax) return Decoded::kBad;
  manifest->segments.resize(count);
  for (size_t i = 0; i < count; ++i) {
    ManifestSegment* segment = &manifest->segments[i];
    if (!DecodeSegment(at + kHeaderBytes + i * kSegmentBytes, segment)) return Decoded::kBad;
    if (segment->id == 0 || segment->id >= manifest->next_segment) return Decoded::kBad;
  }
  return Decoded::kOk;
}

absl::Status ReadManifest(Directory* directory, Manifest* manifest) {
  std::unique_ptr<File> file;
  IoError error = directory->Open(kManifestName, false, &file);
  if (error == IoError::kNotFound) return absl::NotFoundError("there is no MANIFEST");
  if (error != IoError::kNone) return StatusOf({.error = error, .what = "opening MANIFEST"});
  uint64_t size = 0;
  error = file->Size(&size);
  if (error != IoError::kNone) return StatusOf({.error = error, .what = "size of MANIFEST"});
  if (size > kManifestBytesMax) return ManifestDamage("it is far too long");
  std::string bytes(size, '\0');
  error = file->Read(0, absl::MakeSpan(bytes));
  if (error != IoError::kNone) return StatusOf({.error = error, .what = "reading MANIFEST"});
  uint32_t version = 0;
  switch (DecodeManifest(bytes, manifest, &version)) {
    case Decoded::kOk:
      return absl::OkStatus();
    case Decoded::kBad:
      return ManifestDamage("its checksum or its structure does not hold");
    case Decoded::kVersion:
      return absl::FailedPreconditionError(absl::StrCat("the store has format version ", version,
                                                        "; this program reads version ",
                                                        kFormatVersion));
  }
  return ManifestDamage("it can not be read");
}

IoFailure WriteManifest(Directory* directory, const Manifest& manifest,
                        std::unique_ptr<File> file) {
  uint64_t size_bytes = 0;
  IoError error = file != nullptr ? file->Size(&size_bytes) : CreateNew(directory, &file);
  if (error != IoError::kNone) return Failed(error, "creating");
  const std::string bytes = EncodeManifest(manifest, size_bytes);
  const Bytes spans[] = {bytes};
  uint64_t written_bytes = 0;
  error = file->Write(0, spans, &written_bytes);
  if (error != IoError::kNone) return Failed(error, "writing");
  if (!Planted(Bug::kRenameUnsynced)) error = file->Sync();
  if (error != IoError::kNone) return Failed(error, "sync of", true);
  error = directory->Rename(kManifestNewName, kManifestName);
  if (error != IoError::kNone) return Failed(error, "renaming");
  error = directory->Sync();
  if (error != IoError::kNone) {
    return {.error = error, .sync = true, .what = "sync of the store's directory"};
  }
  return {};
}

std::unique_ptr<File> ReserveManifest(Directory* directory, const Manifest& manifest) {
  std::unique_ptr<File> file;
  if (CreateNew(directory, &file) != IoError::kNone) return nullptr;
  const IoError error = file->Allocate(EncodedBytes(manifest.segments.size() + 1));
  return error == IoError::kNone ? std::move(file) : nullptr;
}

}  // namespace pure::store
