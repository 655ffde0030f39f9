#include "modules/testing/event_runner.h"

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "modules/app.h"
#include "modules/states.h"
#include "runtime/check.h"
#include "store/memory_store.h"

namespace pure::testing {
namespace {

using modules::App;
using modules::Reply;
using modules::States;

void RunOne(const modules::Module& module, uint16_t handler, const modules::Arguments& arguments,
            store::StoreHandle* handle, App* app) {
  handle->TakeLook();
  Reply reply;
  app->ApplyHandler(handler, {.now_ms = 1, .random = 2}, arguments, &reply);
  const bool changed = app->StatesChanged();
  if (reply.result != Result::kOk || module.handlers()[handler].is_view) {
    PURE_CHECK(!changed, "what failed, and a view, change nothing");
  }
  Result saved = Result::kOk;
  if (changed) saved = app->StageStates();
  if (saved == Result::kOk && changed) saved = handle->Commit();
  app->Settle(saved == Result::kOk);
  PURE_CHECK(saved == Result::kOk, "a memory store saves");
}

}  // namespace

void RunEvents(const modules::Module& module, Bytes text, Bytes body,
               modules::BodyEncoding encoding) {
  store::MemoryStore store;
  std::unique_ptr<States> states;
  for (int starts = 0; starts < 2; ++starts) {
    const std::unique_ptr<States> before = std::move(states);
    const absl::Status opened = States::Open(module, text, &store, &states);
    // A first value may be impossible, which is found when it is made.
    PURE_CHECK(opened.ok() || before == nullptr, "what was saved opens again");
    if (!opened.ok()) return;
    if (before != nullptr) {
      for (size_t i = 0; i < states->now().size(); ++i) {
        const modules::Rows& old_rows = before->now()[i];
        const modules::Rows& rows = states->now()[i];
        PURE_CHECK(rows.size() == old_rows.size(), "a restart shows the same states");
        for (size_t row = 0; row < rows.size(); ++row) {
          PURE_CHECK(rows.At(row) == old_rows.At(row), "a restart shows the same rows");
        }
      }
    }
    const std::unique_ptr<store::StoreHandle> handle = store.NewHandle();
    App app(&module, handle.get(), states.get());
    for (size_t i = 0; i < module.handlers().size(); ++i) {
      RunOne(module, static_cast<uint16_t>(i), {body, encoding}, handle.get(), &app);
    }
  }
}

}  // namespace pure::testing
