#pragma once

// LoadModule: a module from its file, or every error of it on stderr.

#include <memory>
#include <string>

#include "modules/module.h"
#include "platforms/server/program.h"

namespace pure::server {

struct LoadedModule {
  std::string text;
  std::unique_ptr<const modules::Module> module;
};

// kDone: *loaded is set. kUsage: the file can not be read or its module does not load; stderr says
// why. A relative path starts where the user stands, also under `bazel run`.
Exit LoadModule(const std::string& path, LoadedModule* loaded);

// `path`, from where the user stands.
std::string UserPath(const std::string& path);

}  // namespace pure::server
