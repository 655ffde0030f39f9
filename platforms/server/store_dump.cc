// `pure store dump`: every state and every document as a line of JSON, in the types of the module
// that the store keeps.

#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "modules/json.h"
#include "modules/module.h"
#include "modules/state_dump.h"
#include "modules/utf8.h"
#include "platforms/server/store_verbs.h"
#include "platforms/server/stored_module.h"

namespace pure::server {
namespace {

// Prints many small pieces as few large ones.
class LineWriter {
 public:
  void Add(Bytes text) {
    pending_.append(text);
    if (pending_.size() >= kPendingBytes) Flush();
  }
  void Flush() {
    Print(pending_);
    pending_.clear();
  }

 private:
  static constexpr size_t kPendingBytes = 64u << 10;
  std::string pending_;
};

// Null: the store keeps none, or one that does not load any more, which leaves documents as octets.
std::unique_ptr<const modules::Module> KeptModule(store::Store* store) {
  std::string text;
  if (FindModuleText(store, &text) != Result::kOk) return nullptr;
  std::vector<modules::Error> errors;
  return modules::Module::Load(text, &errors);
}

// Text that is none (of an older module, say) is given as octets, so that nothing is lost.
void AddValue(Bytes value, bool as_text, LineWriter* out) {
  if (as_text && modules::IsUtf8(value)) return out->Add(modules::JsonString(value));
  out->Add("{\"base64\":\"");
  constexpr size_t kPieceBytes = 48u << 10;  // a multiple of 3: the pieces join without padding
  for (; !value.empty(); value.remove_prefix(std::min(kPieceBytes, value.size()))) {
    out->Add(absl::Base64Escape(value.substr(0, kPieceBytes)));
  }
  out->Add("\"}");
}

Exit Dump(const Program& program, const OpenedStore& opened) {
  const std::unique_ptr<store::StoreHandle> handle = opened.store->NewHandle();
  if (handle == nullptr) return Fail(StatusOfResult(Result::kAllocation, "dump"));
  handle->TakeLook();
  const std::unique_ptr<const modules::Module> module = KeptModule(opened.store.get());
  const bool as_text = module != nullptr && module->text_documents();
  const uint64_t all_bytes = opened.store->counters().live_bytes;
  // Lines on the same terminal would be drawn over.
  Progress progress(program.clock, isatty(STDOUT_FILENO) == 1 ? nullptr : program.terminal, "dump");
  uint64_t done_bytes = 0;
  LineWriter out;
  std::string value;
  Exit exit = Exit::kDone;
  if (module != nullptr) {
    std::string damaged;
    const auto add = [&out](Bytes name, Bytes json) {
      out.Add(absl::StrCat("{\"state\":", modules::JsonString(name), ",\"value\":", json, "}\n"));
    };
    const Result dumped = modules::DumpStates(*module, opened.store.get(), add, &damaged);
    if (dumped != Result::kOk) exit = Fail(StatusOfResult(dumped, damaged));
  }
  const auto visit = [&](Bytes key, uint64_t revision, size_t size_bytes) {
    done_bytes += size_bytes;
    if (store::IsSystemKey(key)) return true;
    store::Found found;
    const Result result = handle->Find(key, &found);
    if (result != Result::kOk) {  // the others are worth having
      exit = Fail(StatusOfResult(result, key));
      return true;
    }
    value.clear();
    for (const Bytes span : found.value.spans()) value.append(span);
    out.Add(absl::StrCat("{\"key\":", modules::JsonString(key), ",\"revision\":", revision,
                         ",\"value\":"));
    AddValue(value, as_text, &out);
    out.Add("}\n");
    progress.Update(done_bytes, all_bytes);
    return true;
  };
  const Result listed = opened.store->List("", visit);
  out.Flush();
  return listed == Result::kOk ? exit : Fail(StatusOfResult(listed, "dump"));
}

}  // namespace

Exit StoreDump(const StoreTask& task) {
  return WithStore(task, Access::kRead,
                   [&task](const OpenedStore& opened) { return Dump(task.program, opened); });
}

}  // namespace pure::server
