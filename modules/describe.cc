#include "modules/describe.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "modules/json.h"

namespace pure::modules {
namespace {

std::string DescribeMessage(const Plan& plan, size_t index) {
  const PlanMessage& message = plan.messages[index];
  const MessageInfo& info = plan.message_infos[index];
  std::string route = absl::StrCat("POST /objects/KEY/", info.name);
  if (info.is_show) route = "GET /objects/KEY";
  if (info.is_edit) route = "PUT /objects/KEY";
  std::string parameters;
  for (const PlanParameter& parameter : message.parameters) {
    absl::StrAppend(&parameters, parameters.empty() ? "" : ",",
                    "{\"name\":", JsonString(parameter.name),
                    ",\"type\":", JsonString(TypeText(parameter.type, plan.choices)), "}");
  }
  const auto fault_name = [&plan](std::string* out, uint16_t fault) {
    absl::StrAppend(out, JsonString(plan.faults[fault].name));
  };
  return absl::StrCat(
      "{\"name\":", JsonString(info.name), ",\"route\":", JsonString(route), ",\"parameters\":[",
      parameters, "],\"writes\":", info.writes ? "true" : "false",
      ",\"max_steps\":", message.steps_max, ",\"max_save_bytes\":", message.save_bytes_max,
      ",\"max_reply_bytes\":", message.reply_bytes_max, ",\"faults\":[",
      absl::StrJoin(message.raised_faults, ",", fault_name), "]}");
}

}  // namespace

std::string Describe(const Plan& plan) {
  std::string messages;
  for (size_t i = 0; i < plan.messages.size(); ++i) {
    absl::StrAppend(&messages, i == 0 ? "" : ",", DescribeMessage(plan, i));
  }
  const std::string document =
      absl::StrCat("{\"name\":", JsonString(plan.document_name),
                   ",\"key\":", JsonString(TypeText(plan.key_type, plan.choices)),
                   ",\"type\":", JsonString(TypeText(plan.document_type, plan.choices)),
                   ",\"content_type\":", JsonString(plan.content_type),
                   ",\"max_bytes\":", plan.document_type.high, ",\"messages\":[", messages, "]}");
  return absl::StrCat("{\"module\":", JsonString(plan.module_name), ",\"version\":", plan.version,
                      ",\"sharded\":true,\"hash\":", JsonString(plan.hash),
                      ",\"states\":[],\"inputs\":[],\"views\":[],\"documents\":[", document,
                      "],\"timers\":[],\"tests\":{\"run\":0,\"failed\":0}}");
}

}  // namespace pure::modules
