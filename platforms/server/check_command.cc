#include "absl/strings/str_cat.h"
#include "modules/module.h"
#include "platforms/server/load_module.h"
#include "platforms/server/program.h"

namespace pure::server {

Exit Check(const Program&, Arguments arguments) {
  if (arguments.size() != 1) return FailUsage("check FILE", "check takes one module file");
  LoadedModule loaded;
  const Exit exit = LoadModule(arguments[0], &loaded);
  if (exit == Exit::kDone) Print(absl::StrCat(loaded.module->Describe(), "\n"));
  return exit;
}

}  // namespace pure::server
