#include "modules/module.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "modules/checker.h"
#include "modules/compiler.h"
#include "modules/describe.h"
#include "modules/diagnostics.h"
#include "modules/limits.h"
#include "modules/parser.h"
#include "modules/plan.h"
#include "modules/sha256.h"
#include "modules/utf8.h"

namespace pure::modules {
namespace {

// Lines and columns of the diagnostics, which are in the order of the text: one pass.
std::vector<Error> Located(Bytes text, std::vector<Diagnostic> diagnostics) {
  std::vector<Error> errors;
  uint32_t line = 1;
  size_t line_start = 0;
  size_t position = 0;
  for (Diagnostic& diagnostic : diagnostics) {
    for (; position < diagnostic.offset && position < text.size(); ++position) {
      if (text[position] != '\n') continue;
      ++line;
      line_start = position + 1;
    }
    Error error;
    error.line = line;
    error.column = static_cast<uint32_t>(diagnostic.offset - line_start) + 1;
    error.what = std::move(diagnostic.what);
    error.help = std::move(diagnostic.help);
    errors.push_back(std::move(error));
  }
  return errors;
}

std::unique_ptr<Plan> MakePlan(Bytes text, Diagnostics* diagnostics) {
  if (text.size() > kModuleBytesMax) {
    diagnostics->Add(0, absl::StrCat("a module text has at most ", kModuleBytesMax,
                                     " bytes, this has ", text.size()));
    return nullptr;
  }
  if (const size_t valid = Utf8ValidPrefix(text); valid != text.size()) {
    diagnostics->Add(static_cast<uint32_t>(valid), "this is not UTF-8");
    return nullptr;
  }
  const Ast ast = Parse(text, diagnostics);
  Checked checked = Check(ast, diagnostics);
  if (!diagnostics->empty()) return nullptr;
  auto plan = std::make_unique<Plan>();
  Compile(ast, std::move(checked), diagnostics, plan.get());
  if (!diagnostics->empty()) return nullptr;
  plan->hash = Sha256Hex(text);
  return plan;
}

}  // namespace

Module::Module() = default;
Module::~Module() = default;

std::unique_ptr<const Module> Module::Load(Bytes text, std::vector<Error>* errors) {
  Diagnostics diagnostics;
  std::unique_ptr<Plan> plan = MakePlan(text, &diagnostics);
  if (plan == nullptr) {
    *errors = Located(text, diagnostics.InFileOrder());
    return nullptr;
  }
  errors->clear();
  std::unique_ptr<Module> module(new Module);
  module->plan_ = std::move(plan);
  return module;
}

Bytes Module::name() const { return plan_->module_name; }
int64_t Module::version() const { return plan_->version; }
bool Module::sharded() const { return plan_->states.empty(); }

absl::Span<const MessageInfo> Module::messages() const { return plan_->message_infos; }

absl::Span<const HandlerInfo> Module::handlers() const { return plan_->handler_infos; }

int Module::FindMessage(Bytes name) const {
  const std::vector<MessageInfo>& messages = plan_->message_infos;
  const auto found = std::find_if(messages.begin(), messages.end(),
                                  [name](const MessageInfo& info) { return info.name == name; });
  return found == messages.end() ? -1 : static_cast<int>(found - messages.begin());
}

int Module::show() const { return FindMessage("show"); }
int Module::edit() const { return FindMessage("edit"); }
Bytes Module::document_type() const { return plan_->content_type; }
bool Module::text_documents() const { return plan_->document_type.kind == TypeKind::kText; }
uint64_t Module::document_bytes_max() const {
  return static_cast<uint64_t>(plan_->document_type.high);
}
absl::Span<const FaultInfo> Module::faults() const { return plan_->faults; }
std::string Module::Describe(size_t tests_run, size_t tests_failed) const {
  return modules::Describe(*plan_, tests_run, tests_failed);
}
const Plan& Module::plan() const { return *plan_; }

}  // namespace pure::modules
