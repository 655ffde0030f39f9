#include "modules/state_dump.h"

#include <memory>
#include <string>

#include "modules/plan.h"
#include "modules/register.h"
#include "modules/rows/row.h"
#include "modules/rows/rows.h"
#include "modules/rows/saved_rows.h"
#include "modules/value_json.h"

namespace pure::modules {
namespace {

// `piece` is what the register may point to.
Register ValueOf(const PlanState& state, const Rows& rows, Bytes* piece) {
  if (state.type.is_collection()) return {.rows = &rows};
  if (rows.size() == 0) return {.present = false};
  *piece = rows.At(0);
  const RowView row(*piece);
  if (state.type.kind == TypeKind::kRecord && !state.type.option) {
    return {.octets = OctetsOf(piece)};
  }
  if (!row.present(0)) return {.present = false};
  if (state.type.is_number()) return {.number = row.number(0)};
  *piece = row.octets(0);
  return {.octets = OctetsOf(piece)};
}

}  // namespace

Result DumpStates(const Module& module, store::Store* store,
                  absl::FunctionRef<void(Bytes name, Bytes json)> visit, std::string* damaged) {
  const std::unique_ptr<store::StoreHandle> handle = store->NewHandle();
  if (handle == nullptr) return Result::kAllocation;
  handle->TakeLook();
  for (const PlanState& state : module.plan().states) {
    *damaged = state.name;
    Rows rows;
    std::string key;
    const Result result = LoadRows(state.name, store, handle.get(), &rows, &key);
    if (result != Result::kOk) return result;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!IsRow(rows.At(i), state.layout)) return Result::kStorage;
    }
    Bytes piece;
    std::string json;
    AppendJson(ValueOf(state, rows, &piece), state.type, module.plan().shapes, &json);
    visit(state.name, json);
  }
  damaged->clear();
  return Result::kOk;
}

}  // namespace pure::modules
