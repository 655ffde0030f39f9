#include "platforms/server/stored_module.h"

#include <memory>

namespace pure::server {
namespace {

constexpr Bytes kModuleKey("\0module", 7);

}  // namespace

Result KeepModuleText(Bytes text, store::Store* store) {
  std::string kept;
  if (FindModuleText(store, &kept) == Result::kOk && kept == text) return Result::kOk;
  const std::unique_ptr<store::StoreHandle> handle = store->NewHandle();
  if (handle == nullptr) return Result::kAllocation;
  handle->TakeLook();
  store::Found found;
  Result result = handle->Peek(kModuleKey, &found);
  if (result == Result::kOk) result = handle->Stage(kModuleKey, found.revision, {text});
  if (result == Result::kOk) result = handle->Commit();
  return result;
}

Result FindModuleText(store::Store* store, std::string* text) {
  const std::unique_ptr<store::StoreHandle> handle = store->NewHandle();
  if (handle == nullptr) return Result::kAllocation;
  handle->TakeLook();
  store::Found found;
  const Result result = handle->Find(kModuleKey, &found);
  if (result != Result::kOk) return result;
  if (!found.present) return Result::kNotFound;
  text->clear();
  for (const Bytes span : found.value.spans()) text->append(span);
  return Result::kOk;
}

}  // namespace pure::server
