#include "platforms/server/program.h"

#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace pure::server {
namespace {

void PrintTo(std::FILE* file, Bytes text) {
  const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (!whole || std::fflush(file) != 0) std::_Exit(static_cast<int>(Exit::kFailed));
}

}  // namespace

void Print(Bytes text) { PrintTo(stdout, text); }

void PrintError(Bytes text) { PrintTo(stderr, text); }

Exit Fail(const absl::Status& status) {
  PrintError(absl::StrCat("pure: ", status.message(), "\n"));
  if (status.code() == absl::StatusCode::kDataLoss) return Exit::kDamaged;
  return status.code() == absl::StatusCode::kAborted ? Exit::kSyncFailed : Exit::kFailed;
}

Exit FailUsage(Bytes command, Bytes message) {
  PrintError(absl::StrCat("pure: ", message, "\nusage: pure ", command, "\n"));
  return Exit::kUsage;
}

}  // namespace pure::server
