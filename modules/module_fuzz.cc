// libFuzzer entry: the first octets choose how the messages are called, the rest is a module text.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "modules/app.h"
#include "modules/module.h"
#include "modules/module_tester.h"
#include "modules/testing/event_runner.h"
#include "modules/testing/fake_store.h"
#include "runtime/bytes.h"
#include "runtime/condition.h"
#include "runtime/key.h"
#include "store/memory_store.h"

namespace pure::modules {
namespace {

constexpr size_t kBodyBytesMax = 32;

void RunMessages(const Module& module, Bytes body, bool form) {
  testing::FakeStore store;
  store.set_extent_bytes(3);
  store.Put("a", "stored");
  App app(&module, &store);
  for (size_t i = 0; i < module.messages().size(); ++i) {
    for (const Bytes key : {"a", "b"}) {
      Reply reply;
      app.Apply(static_cast<uint16_t>(i), Key(key), Condition{},
                {body, form ? BodyEncoding::kForm : BodyEncoding::kRaw}, &reply);
      if (reply.wrote != (store.staged_writes() == 1)) std::abort();
      if (store.Commit() != Result::kOk) std::abort();
      app.Settle(true);
    }
  }
}

void LoadAndRun(Bytes input) {
  const size_t body_bytes = input.empty() ? 0 : static_cast<uint8_t>(input[0]) % kBodyBytesMax;
  const bool form = !input.empty() && (static_cast<uint8_t>(input[0]) & 0x80) != 0;
  if (input.size() < 1 + body_bytes) return;
  const Bytes body = input.substr(1, body_bytes);
  const Bytes text = input.substr(1 + body_bytes);
  std::vector<Error> errors;
  const std::unique_ptr<const Module> module = Module::Load(text, &errors);
  if ((module == nullptr) != !errors.empty()) std::abort();
  (void)FormatErrors("fuzz.pure", text, errors);
  if (module == nullptr) return;
  (void)module->Describe(0, 0);
  const BodyEncoding encoding = form ? BodyEncoding::kForm : BodyEncoding::kJson;
  if (module->sharded()) RunMessages(*module, body, form);
  testing::RunEvents(*module, text, body, encoding);
  (void)RunTests(*module, text, [] { return std::make_unique<store::MemoryStore>(); });
}

}  // namespace
}  // namespace pure::modules

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  pure::modules::LoadAndRun(pure::Bytes(reinterpret_cast<const char*>(data), size));
  return 0;
}
