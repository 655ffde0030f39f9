#include "platforms/server/stored_module.h"

#include <memory>

#include "modules/states.h"

namespace pure::server {
Result FindModuleText(store::Store* store, std::string* text) {
  const std::unique_ptr<store::StoreHandle> handle = store->NewHandle();
  if (handle == nullptr) return Result::kAllocation;
  handle->TakeLook();
  store::Found found;
  const Result result = handle->Find(modules::kModuleKey, &found);
  if (result != Result::kOk) return result;
  if (!found.present) return Result::kNotFound;
  text->clear();
  for (const Bytes span : found.value.spans()) text->append(span);
  return Result::kOk;
}

}  // namespace pure::server
