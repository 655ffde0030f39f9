#include "modules/describe.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "modules/json.h"

namespace pure::modules {
namespace {

std::string DescribeParameters(const Plan& plan, const PlanHandler& handler) {
  std::string parameters;
  for (const PlanParameter& parameter : handler.parameters) {
    absl::StrAppend(&parameters, parameters.empty() ? "" : ",",
                    "{\"name\":", JsonString(parameter.name),
                    ",\"type\":", JsonString(TypeText(parameter.type, plan.shapes)), "}");
  }
  return parameters;
}

std::string DescribeFaults(const Plan& plan, const PlanHandler& handler) {
  const auto fault_name = [&plan](std::string* out, uint16_t fault) {
    absl::StrAppend(out, JsonString(plan.faults[fault].name));
  };
  return absl::StrJoin(handler.raised_faults, ",", fault_name);
}

std::string DescribeMessage(const Plan& plan, size_t index) {
  const PlanHandler& message = plan.messages[index];
  const MessageInfo& info = plan.message_infos[index];
  std::string route = absl::StrCat("POST /objects/KEY/", info.name);
  if (info.is_show) route = "GET /objects/KEY";
  if (info.is_edit) route = "PUT /objects/KEY";
  return absl::StrCat(
      "{\"name\":", JsonString(info.name), ",\"route\":", JsonString(route), ",\"parameters\":[",
      DescribeParameters(plan, message), "],\"writes\":", info.writes ? "true" : "false",
      ",\"max_steps\":", message.steps_max, ",\"max_save_bytes\":", message.save_bytes_max,
      ",\"max_reply_bytes\":", message.reply_bytes_max, ",\"faults\":[",
      DescribeFaults(plan, message), "]}");
}

std::string DescribeDocument(const Plan& plan) {
  std::string messages;
  for (size_t i = 0; i < plan.messages.size(); ++i) {
    absl::StrAppend(&messages, i == 0 ? "" : ",", DescribeMessage(plan, i));
  }
  return absl::StrCat("{\"name\":", JsonString(plan.document_name),
                      ",\"key\":", JsonString(TypeText(plan.key_type, plan.shapes)),
                      ",\"type\":", JsonString(TypeText(plan.document_type, plan.shapes)),
                      ",\"content_type\":", JsonString(plan.content_type),
                      ",\"max_bytes\":", plan.document_type.high, ",\"messages\":[", messages,
                      "]}");
}

std::string RouteOf(const HandlerInfo& info) {
  return absl::StrCat(info.is_view ? "GET " : "POST ",
                      !info.path.empty()
                          ? info.path
                          : absl::StrCat(info.is_view ? "/views/" : "/inputs/", info.name));
}

std::string DescribeInput(const Plan& plan, size_t index) {
  const PlanHandler& input = plan.handlers[index];
  const HandlerInfo& info = plan.handler_infos[index];
  return absl::StrCat(
      "{\"name\":", JsonString(info.name), ",\"route\":", JsonString(RouteOf(info)),
      ",\"parameters\":[", DescribeParameters(plan, input), "],\"max_steps\":", input.steps_max,
      ",\"max_save_bytes\":", input.save_bytes_max, ",\"max_reply_bytes\":", input.reply_bytes_max,
      ",\"faults\":[", DescribeFaults(plan, input), "]}");
}

std::string DescribeView(const Plan& plan, size_t index) {
  const PlanHandler& view = plan.handlers[index];
  const HandlerInfo& info = plan.handler_infos[index];
  const auto state_name = [&plan](std::string* out, uint16_t state) {
    absl::StrAppend(out, JsonString(plan.states[state].name));
  };
  return absl::StrCat("{\"name\":", JsonString(info.name), ",\"route\":", JsonString(RouteOf(info)),
                      ",\"parameters\":[", DescribeParameters(plan, view),
                      "],\"type\":", JsonString(view.content_type), ",\"reads\":[",
                      absl::StrJoin(view.reads, ",", state_name),
                      "],\"live\":false,\"max_bytes\":", view.reply_bytes_max,
                      ",\"max_steps\":", view.steps_max, "}");
}

std::string DescribeState(const Plan& plan, const PlanState& state) {
  const int64_t bytes = state.type.is_collection() ? StoredBytesMax(state.type, plan.shapes)
                                                   : 16 + StoredBytesMax(state.type, plan.shapes);
  return absl::StrCat("{\"name\":", JsonString(state.name),
                      ",\"type\":", JsonString(TypeText(state.type, plan.shapes)),
                      ",\"max_bytes\":", bytes, "}");
}

}  // namespace

std::string Describe(const Plan& plan, size_t tests_run, size_t tests_failed) {
  std::string states, inputs, views;
  for (const PlanState& state : plan.states) {
    absl::StrAppend(&states, states.empty() ? "" : ",", DescribeState(plan, state));
  }
  for (size_t i = 0; i < plan.handlers.size(); ++i) {
    if (plan.handler_infos[i].is_view) {
      absl::StrAppend(&views, views.empty() ? "" : ",", DescribeView(plan, i));
    } else {
      absl::StrAppend(&inputs, inputs.empty() ? "" : ",", DescribeInput(plan, i));
    }
  }
  return absl::StrCat(
      "{\"module\":", JsonString(plan.module_name), ",\"version\":", plan.version,
      ",\"sharded\":", plan.states.empty() ? "true" : "false", ",\"hash\":", JsonString(plan.hash),
      ",\"states\":[", states, "],\"inputs\":[", inputs, "],\"views\":[", views,
      "],\"documents\":[", plan.messages.empty() ? "" : DescribeDocument(plan),
      "],\"timers\":[],\"tests\":{\"run\":", tests_run, ",\"failed\":", tests_failed, "}}");
}

}  // namespace pure::modules
