#include "modules/carrying.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "modules/plan.h"

namespace pure::modules {
namespace {

bool IsRowItself(const Type& type) { return type.kind == TypeKind::kRecord && !type.option; }

// Whether each stored value of `from` is one of `to` as it lies there.
bool Holds(const Type& to, const Shapes& to_shapes, const Type& from, const Shapes& from_shapes) {
  if (to.kind != from.kind || (from.option && !to.option)) return false;
  // A record that may be absent is stored in another way than one that is always there.
  if (IsRowItself(to) != IsRowItself(from)) return false;
  switch (to.kind) {
    case TypeKind::kChoice: {
      const auto old_cases = from_shapes.cases(from);
      const auto cases = to_shapes.cases(to);
      return old_cases.size() <= cases.size() &&
             std::equal(old_cases.begin(), old_cases.end(), cases.begin());
    }
    case TypeKind::kRecord: {
      const auto old_fields = from_shapes.fields(from);
      const auto fields = to_shapes.fields(to);
      return std::equal(old_fields.begin(), old_fields.end(), fields.begin(), fields.end(),
                        [&](const FieldType& old_field, const FieldType& field) {
                          return old_field.name == field.name &&
                                 Holds(field.type, to_shapes, old_field.type, from_shapes);
                        });
    }
    case TypeKind::kMap:
      if (!Holds(to_shapes.key(to), to_shapes, from_shapes.key(from), from_shapes)) return false;
      [[fallthrough]];
    case TypeKind::kList:
    case TypeKind::kRing:
    case TypeKind::kSet:
      return from.high <= to.high &&
             Holds(to_shapes.element(to), to_shapes, from_shapes.element(from), from_shapes);
    default:
      return from.low >= to.low && from.high <= to.high;
  }
}

bool HoldsDocuments(const Plan& plan, const Plan& old_plan) {
  Type old_type = old_plan.document_type;
  if (plan.document_type.kind == TypeKind::kBytes && old_type.kind == TypeKind::kText) {
    old_type = plan.document_type;
    old_type.high = old_plan.document_type.high;
  }
  return Holds(plan.document_type, plan.shapes, old_type, old_plan.shapes) &&
         Holds(plan.key_type, plan.shapes, old_plan.key_type, old_plan.shapes);
}

std::string DocumentsText(const Plan& plan) {
  return absl::StrCat(TypeText(plan.document_type, plan.shapes), " under keys of ",
                      TypeText(plan.key_type, plan.shapes));
}

// A line, or nothing.
std::string LostDocuments(const Plan& plan, const Plan& old_plan) {
  if (old_plan.document_name.empty()) return "";
  if (plan.document_name.empty()) {
    return absl::StrCat("\n  document ", old_plan.document_name, ": it is gone");
  }
  if (HoldsDocuments(plan, old_plan)) return "";
  return absl::StrCat("\n  document ", old_plan.document_name, ": it was ", DocumentsText(old_plan),
                      " and is ", DocumentsText(plan));
}

}  // namespace

absl::Status CheckCarried(const Module& old_module, bool any_documents, const Module& module) {
  const Plan& old_plan = old_module.plan();
  const Plan& plan = module.plan();
  std::string lost;
  for (const PlanState& old_state : old_plan.states) {
    const auto state =
        std::find_if(plan.states.begin(), plan.states.end(),
                     [&old_state](const PlanState& each) { return each.name == old_state.name; });
    if (state == plan.states.end()) {
      absl::StrAppend(&lost, "\n  state ", old_state.name, ": it is gone");
    } else if (!Holds(state->type, plan.shapes, old_state.type, old_plan.shapes)) {
      absl::StrAppend(&lost, "\n  state ", old_state.name, ": it was ",
                      TypeText(old_state.type, old_plan.shapes), " and is ",
                      TypeText(state->type, plan.shapes));
    }
  }
  if (any_documents) absl::StrAppend(&lost, LostDocuments(plan, old_plan));
  if (lost.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the store holds what this module does not carry on; nothing was changed", lost));
}

}  // namespace pure::modules
