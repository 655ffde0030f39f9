#include "platforms/server/local_stores.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/background.h"
#include "store/extent_store.h"
#include "store/posix/posix_files.h"
#include "store/store_copy.h"

namespace pure::server {
namespace {

absl::Status VerifyStore(store::ExtentStore* store, std::vector<std::string>* damages,
                         const ProgressFunction& progress) {
  store::VerifyReport report;
  const absl::Status status = store->Verify(&report, progress);
  for (const store::Damage& damage : report.damages) {
    damages->push_back(absl::StrCat("segment ", damage.segment, " offset ", damage.offset, " key ",
                                    damage.key.empty() ? "-" : damage.key, ": ", damage.what));
  }
  return status;
}

absl::Status About(const std::string& directory, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(directory, ": ", status.message()));
}

}  // namespace

absl::StatusOr<OpenedStore> OpenLocalStore(const StoreRequest& request, Entropy* entropy,
                                           Clock* clock, const Terminal& terminal) {
  absl::StatusOr<std::unique_ptr<store::Directory>> directory =
      store::OpenDirectory(request.directory, {.create = request.create});
  if (!directory.ok()) return directory.status();
  store::ExtentStoreOptions options;
  options.verify = request.verify == Verify::kAlways ? store::ExtentStoreOptions::Verify::kAlways
                                                     : store::ExtentStoreOptions::Verify::kFirst;
  options.read_only = request.read_only;
  options.entropy = entropy;
  options.on_failed_sync = request.on_failed_sync;
  // The store keeps its options longer than this call.
  const auto bar = std::make_shared<std::unique_ptr<Progress>>(
      std::make_unique<Progress>(clock, terminal, "opening"));
  options.open_progress = [bar](uint64_t done, uint64_t all) {
    if (*bar != nullptr) (*bar)->Update(done, all);
  };
  absl::StatusOr<std::unique_ptr<store::ExtentStore>> store =
      store::ExtentStore::Open(*std::move(directory), options);
  bar->reset();
  if (!store.ok()) return About(request.directory, store.status());
  store::ExtentStore* const extents = store->get();
  OpenedStore opened;
  opened.store = *std::move(store);
  opened.verify = [extents](std::vector<std::string>* damages, const ProgressFunction& progress) {
    return VerifyStore(extents, damages, progress);
  };
  opened.compact = [extents](const ProgressFunction& progress) {
    return extents->Compact(progress);
  };
  if (!request.read_only) opened.background = std::make_shared<store::Background>(extents, clock);
  return opened;
}

absl::StatusOr<CopiedStore> CopyLocalStore(const CopyRequest& request,
                                           const ProgressFunction& progress) {
  absl::StatusOr<std::unique_ptr<store::Directory>> source =
      store::OpenDirectory(request.source, {.create = false});
  if (!source.ok()) return source.status();
  store::StoreCopy copy;
  absl::Status status = copy.Open(source->get(), request.live ? store::StoreCopy::Source::kLive
                                                              : store::StoreCopy::Source::kIdle);
  if (!status.ok()) return About(request.source, status);
  absl::StatusOr<std::unique_ptr<store::Directory>> destination =
      store::OpenDirectory(request.destination);
  if (!destination.ok()) return destination.status();
  store::CopyCounts counts;
  status = copy.WriteTo(destination->get(), &counts, progress);
  if (!status.ok()) {
    const bool damaged = status.code() == absl::StatusCode::kDataLoss;
    return About(damaged ? request.source : request.destination, status);
  }
  return CopiedStore{
      .segments = counts.segments, .frames = counts.frames, .bytes = counts.frame_bytes};
}

}  // namespace pure::server
