#include "modules/views.h"

#include "absl/strings/numbers.h"

namespace pure::modules {
namespace {

constexpr int kModuleBits = 20;  // of a revision

uint64_t BitsOf(Bytes hash) {
  constexpr size_t kDigits = 16;
  uint64_t bits = 0;
  (void)absl::SimpleHexAtoi(hash.substr(0, kDigits), &bits);
  return bits >> (64 - kModuleBits);
}

}  // namespace

Views::Views(const Module* module, Runner* runner, KeptPages* kept)
    : plan_(module->plan()), module_bits_(BitsOf(plan_.hash)), runner_(*runner), kept_(kept) {}

void Views::Apply(uint16_t index, const Arguments& arguments, const Seen& seen, Reply* reply) {
  const PlanHandler& view = plan_.handlers[index];
  const uint64_t revision = RevisionOf(view, seen);
  const bool keeps = kept_ != nullptr && arguments.body.empty() && arguments.values == nullptr;
  const KeptPage* const kept = keeps ? kept_->Find(index, revision) : nullptr;
  if (kept != nullptr) {
    reply->body = kept->Lend();
    reply->content_type = view.content_type;
  } else {
    runner_.Run(index, {}, seen.commit, arguments, seen.states, reply);
  }
  reply->commit = seen.commit;
  if (reply->result != Result::kOk) return;
  reply->revision = revision;
  const bool is_page = reply->body.spans().size() == 1 && reply->location.size_bytes() == 0;
  if (keeps && kept == nullptr && revision != 0 && is_page) {
    kept_->Keep(index, revision, reply->body.spans()[0]);
  }
}

// The newest commit that changed a state which the view reads, and the module. What an event of
// this burst changed has none: the save that makes it a commit is still due, maybe with other
// changes.
uint64_t Views::RevisionOf(const PlanHandler& view, const Seen& seen) const {
  if (seen.unsaved) return 0;
  uint64_t commit = 0;
  if (seen.saved != nullptr) {
    commit = view.reads_commit ? seen.saved->commit : seen.saved->ChangedAt(view.reads);
  }
  return commit << kModuleBits | module_bits_ | 1;
}

}  // namespace pure::modules
