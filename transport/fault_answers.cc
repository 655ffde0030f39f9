#include "transport/fault_answers.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace pure::transport {
namespace {

// A JSON string with its quotes (RFC 8259 section 7).
std::string Quoted(Bytes text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&out, "\\u%04x", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace

FaultAnswers::FaultAnswers(const modules::Module& module) {
  for (const modules::FaultInfo& fault : module.faults()) {
    faults_.push_back(
        {fault.status, absl::StrCat("X-Pure-Fault: ", fault.name, "\r\n"),
         absl::StrCat("{\"fault\":", Quoted(fault.name), ",\"text\":", Quoted(fault.text), "}")});
  }
  const auto bodies_of = [](const std::vector<std::string>& parameters) {
    std::vector<std::string> bodies;
    for (const std::string& parameter : parameters) {
      bodies.push_back(absl::StrCat("{\"error\":\"type\",\"field\":", Quoted(parameter), "}"));
    }
    bodies.push_back("{\"error\":\"type\"}");
    return bodies;
  };
  for (const modules::MessageInfo& message : module.messages()) {
    message_bodies_.push_back(bodies_of(message.parameters));
  }
  for (const modules::HandlerInfo& handler : module.handlers()) {
    handler_bodies_.push_back(bodies_of(handler.parameters));
  }
}

const FaultAnswers::Fault& FaultAnswers::Of(uint16_t fault) const { return faults_[fault]; }

Bytes FaultAnswers::TypeBody(const executor::Route& route, uint16_t parameter) const {
  const std::vector<std::string>& bodies =
      (route.is_handler ? handler_bodies_ : message_bodies_)[route.index];
  return bodies[std::min<size_t>(parameter, bodies.size() - 1)];
}

}  // namespace pure::transport
