#include "bench/store/real_store.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "store/files.h"
#include "store/posix/posix_files.h"

namespace pure::bench {

absl::StatusOr<std::unique_ptr<RealStore>> RealStore::Open(const std::string& directory,
                                                           store::ExtentStoreOptions options) {
  absl::StatusOr<std::unique_ptr<store::Directory>> files = store::OpenDirectory(directory);
  if (!files.ok()) return files.status();
  std::unique_ptr<RealStore> real(new RealStore);
  options.entropy = &real->entropy_;
  absl::StatusOr<std::unique_ptr<store::ExtentStore>> opened =
      store::ExtentStore::Open(*std::move(files), options);
  if (!opened.ok()) return opened.status();
  real->store_ = *std::move(opened);
  real->background_ = std::make_unique<store::Background>(real->store_.get(), &real->clock_);
  return real;
}

absl::StatusOr<std::unique_ptr<RealStore>> RealStore::Make(const std::string& directory,
                                                           store::ExtentStoreOptions options) {
  absl::StatusOr<std::unique_ptr<RealStore>> real = Open(directory, std::move(options));
  if (real.ok() && (*real)->store()->counters().keys != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(directory, " holds a store already: name an empty or a new directory"));
  }
  return real;
}

absl::Status RealStore::Close() {
  background_.reset();
  return store_->Close();
}

}  // namespace pure::bench
