#include "modules/testing/app_fixture.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"

namespace pure::testing {

AppFixture::AppFixture(Bytes text) {
  std::vector<modules::Error> errors;
  module_ = modules::Module::Load(text, &errors);
  if (module_ == nullptr) {
    std::fputs(modules::FormatErrors("m.pure", text, errors).c_str(), stderr);
    std::abort();
  }
  app_ = std::make_unique<modules::App>(module_.get(), &store_);
}

modules::Reply AppFixture::Apply(Bytes message, Bytes key, Bytes body,
                                 modules::BodyEncoding encoding, Condition condition) {
  modules::Reply reply;
  const int index = module_->FindMessage(message);
  if (index < 0) std::abort();
  app_->Apply(static_cast<uint16_t>(index), Key(key), condition, {body, encoding}, &reply);
  return reply;
}

modules::Reply AppFixture::Call(Bytes message, Bytes key, Bytes body,
                                modules::BodyEncoding encoding, Condition condition) {
  modules::Reply reply = Apply(message, key, body, encoding, condition);
  Commit();
  return reply;
}

modules::Reply AppFixture::Post(Bytes message, Bytes key, Bytes form) {
  return Call(message, key, form, modules::BodyEncoding::kForm);
}

void AppFixture::Commit() {
  if (store_.Commit() != Result::kOk) std::abort();
  app_->Settle(true);
}

std::string AppFixture::FaultOf(const modules::Reply& reply) const {
  if (reply.result != Result::kFault) return "(no fault)";
  return module_->faults()[reply.detail].name;
}

std::string BodyOf(const modules::Reply& reply) {
  std::string body;
  for (Bytes span : reply.body.spans()) body.append(span);
  return body;
}

std::string DocumentModule(Bytes messages) {
  return absl::StrCat("module m 1\ndocument d(key: slug(64)): bytes(..64)\n", messages, "\n");
}

std::string ExampleText(Bytes name) {
  std::ifstream file(absl::StrCat("modules/examples/", name));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string ErrorsOf(Bytes text) {
  std::vector<modules::Error> errors;
  if (modules::Module::Load(text, &errors) != nullptr) return "";
  return modules::FormatErrors("m.pure", text, errors);
}

}  // namespace pure::testing
