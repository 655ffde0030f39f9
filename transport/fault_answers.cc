#include "transport/fault_answers.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "modules/error_page.h"

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

FaultAnswers::Body TypeBodyOf(Bytes parameter) {
  return {absl::StrCat("{\"error\":\"type\",\"field\":", Quoted(parameter), "}"),
          modules::ErrorPage(absl::StrCat("The field ", parameter, " is not right"),
                             "It is missing, or not of the kind or size that is asked for.")};
}

// For a person, of what can come of an input or a view.
Bytes Explain(Result result) {
  switch (result) {
    case Result::kBusy:
    case Result::kBudget:
    case Result::kAllocation:
    case Result::kStopped:
      return "The server can not do it now. Nothing was changed; try again.";
    case Result::kLimit:
      return "It is larger than the server allows. Nothing was changed.";
    case Result::kUncertain:
      return "It is not known whether it was saved. Look before you try again.";
    case Result::kFull:
      return "There is no space left on the server's disk. Nothing was changed.";
    default:
      return "The server can not do it. Nothing was changed.";
  }
}

}  // namespace

FaultAnswers::FaultAnswers(const modules::Module& module) {
  for (const modules::FaultInfo& fault : module.faults()) {
    faults_.push_back(
        {fault.status,
         absl::StrCat("X-Pure-Fault: ", fault.name, "\r\n"),
         {absl::StrCat("{\"fault\":", Quoted(fault.name), ",\"text\":", Quoted(fault.text), "}"),
          modules::ErrorPage(fault.text.empty() ? fault.name : fault.text,
                             "Nothing was changed.")}});
  }
  const auto bodies_of = [](const std::vector<std::string>& parameters) {
    std::vector<Body> bodies;
    for (const std::string& parameter : parameters) bodies.push_back(TypeBodyOf(parameter));
    bodies.push_back(
        {"{\"error\":\"type\"}", modules::ErrorPage("The request is not right",
                                                    "It is not of the kind that is asked for.")});
    return bodies;
  };
  for (const modules::MessageInfo& message : module.messages()) {
    message_bodies_.push_back(bodies_of(message.parameters));
  }
  for (const modules::HandlerInfo& handler : module.handlers()) {
    handler_bodies_.push_back(bodies_of(handler.parameters));
  }
  for (size_t i = 0; i < error_bodies_.size(); ++i) {
    const auto result = static_cast<Result>(i);
    error_bodies_[i] = {absl::StrCat("{\"error\":", Quoted(ResultName(result)), "}"),
                        modules::ErrorPage("It did not work", Explain(result))};
  }
}

const FaultAnswers::Fault& FaultAnswers::Of(uint16_t fault) const { return faults_[fault]; }

const FaultAnswers::Body& FaultAnswers::TypeBody(const executor::Route& route,
                                                 uint16_t parameter) const {
  const std::vector<Body>& bodies =
      (route.is_handler ? handler_bodies_ : message_bodies_)[route.index];
  return bodies[std::min<size_t>(parameter, bodies.size() - 1)];
}

const FaultAnswers::Body& FaultAnswers::ErrorBody(Result result) const {
  return error_bodies_[static_cast<size_t>(result)];
}

bool PrefersHtml(Bytes accept) {
  constexpr Bytes kHtml = "text/html";
  const Bytes first = accept.substr(0, std::min(accept.find_first_of(",; "), accept.size()));
  return absl::EqualsIgnoreCase(first, kHtml);
}

}  // namespace pure::transport
