#include "tests/durability/stage_splice.h"

#include <vector>

namespace pure::durability {

Result StageSplice(store::StoreHandle* handle, Bytes key, uint64_t base_revision, size_t begin,
                   size_t end, Bytes insert, store::Found* lent) {
  handle->TakeLook();
  const Result found = handle->FindToStage(key, lent);
  if (found != Result::kOk) return found;
  std::vector<Bytes> pieces;
  size_t at = 0;
  for (Bytes span : lent->value.spans()) {
    if (at < begin) pieces.push_back(span.substr(0, begin - at));
    at += span.size();
  }
  pieces.push_back(insert);
  at = 0;
  for (Bytes span : lent->value.spans()) {
    if (at + span.size() > end) pieces.push_back(span.substr(end > at ? end - at : 0));
    at += span.size();
  }
  return handle->Stage(key, base_revision, pieces);
}

}  // namespace pure::durability
