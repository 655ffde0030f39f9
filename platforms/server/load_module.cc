#include "platforms/server/load_module.h"

#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "platforms/server/text_file.h"

namespace pure::server {

std::string UserPath(const std::string& path) {
  // `bazel run` starts programs in a folder of its own, and says where the user was.
  const char* const stands = std::getenv("BUILD_WORKING_DIRECTORY");
  if (stands == nullptr || path.empty() || path.front() == '/') return path;
  return absl::StrCat(stands, "/", path);
}

Exit LoadModule(const std::string& path, LoadedModule* loaded) {
  constexpr size_t kModuleBytesMax = 1u << 20;
  absl::StatusOr<std::string> text =
      ReadTextFile(UserPath(path), kModuleBytesMax, FilePrivacy::kAny);
  if (!text.ok()) {
    PrintError(absl::StrCat("pure: ", text.status().message(), "\n"));
    return Exit::kUsage;
  }
  loaded->text = *std::move(text);
  std::vector<modules::Error> errors;
  loaded->module = modules::Module::Load(loaded->text, &errors);
  if (loaded->module != nullptr) return Exit::kDone;
  PrintError(modules::FormatErrors(path, loaded->text, errors));
  return Exit::kUsage;
}

}  // namespace pure::server
