#pragma once

// AppFixture: a module, an app over it and a fake store, with calls as short as a test wants them.

#include <memory>
#include <string>
#include <vector>

#include "modules/app.h"
#include "modules/module.h"
#include "modules/testing/fake_store.h"
#include "runtime/bytes.h"
#include "runtime/condition.h"

namespace pure::testing {

class AppFixture {
 public:
  // REQUIRES: the text is a module without errors; they are printed otherwise.
  explicit AppFixture(Bytes text);

  // Applies a message by its name; nothing is committed.
  modules::Reply Apply(Bytes message, Bytes key, Bytes body = "",
                       modules::BodyEncoding encoding = modules::BodyEncoding::kRaw,
                       Condition condition = {});
  // Applies, commits and settles.
  modules::Reply Call(Bytes message, Bytes key, Bytes body = "",
                      modules::BodyEncoding encoding = modules::BodyEncoding::kRaw,
                      Condition condition = {});
  // Calls with a form.
  modules::Reply Post(Bytes message, Bytes key, Bytes form = "");
  void Commit();

  // The name of the fault that a reply with kFault names.
  std::string FaultOf(const modules::Reply& reply) const;

  const modules::Module& module() const { return *module_; }
  FakeStore& store() { return store_; }
  modules::App& app() { return *app_; }

 private:
  std::unique_ptr<const modules::Module> module_;
  FakeStore store_;
  std::unique_ptr<modules::App> app_;
};

// The octets of a reply's body.
std::string BodyOf(const modules::Reply& reply);

// A module `m` with a document of bytes up to 64 and these messages.
std::string DocumentModule(Bytes messages);

// A file of modules/examples, by its name.
std::string ExampleText(Bytes name);

// What Module::Load says of a text that it refuses, formatted for the file name `m.pure`; empty
// when it loads.
std::string ErrorsOf(Bytes text);

}  // namespace pure::testing
