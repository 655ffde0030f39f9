#include "modules/events.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "modules/arguments.h"
#include "modules/json.h"
#include "modules/plan.h"
#include "modules/rendering.h"
#include "modules/scope.h"
#include "modules/value_json.h"

namespace pure::modules {
namespace {

// Decoded arguments, rows and lists of pieces of one event.
constexpr size_t kArenaBytesMax = size_t{64} << 20;

// Of the first hexadecimal digits.
uint64_t BitsOf(Bytes hash) {
  uint64_t bits = 0;
  (void)absl::SimpleHexAtoi(hash.substr(0, 16), &bits);
  return bits;
}

Register NumberOf(int64_t number) { return {.number = number}; }

}  // namespace

Events::Events(const Module* module, States* states)
    : plan_(module->plan()),
      states_(states),
      module_bits_(BitsOf(plan_.hash)),
      arena_(kArenaBytesMax),
      machine_(&plan_, &arena_) {
  for (size_t i = 0; i < plan_.handlers.size(); ++i) kept_.push_back(std::make_unique<KeptPage>());
}

void Events::Apply(uint16_t index, const Moment& moment, const Arguments& arguments, Reply* reply) {
  const PlanHandler& handler = plan_.handlers[index];
  const bool is_view = plan_.handler_infos[index].is_view;
  if (is_view) reply->revision = RevisionOf(handler);
  const bool keeps =
      is_view && reply->revision != 0 && arguments.body.empty() && arguments.values == nullptr;
  if (keeps && kept_[index]->revision() == reply->revision) {
    reply->body = kept_[index]->Lend();
    reply->content_type = handler.content_type;
    if (states_ != nullptr) reply->commit = states_->next_commit();
    return;
  }
  Run(handler, moment, arguments, reply);
  if (reply->result != Result::kOk) {
    reply->body.Reset();
    reply->location.Reset();
    reply->revision = 0;
  }
  if (keeps && reply->result == Result::kOk && reply->location.size_bytes() == 0) {
    Keep(index, *reply);
  }
  machine_.Forget();
  arena_.Reset();
}

void Events::Run(const PlanHandler& handler, const Moment& moment, const Arguments& arguments,
                 Reply* reply) {
  reply->result = FillArguments(plan_, handler, arguments, &arena_, &machine_, &reply->detail);
  if (reply->result != Result::kOk) return;
  const uint64_t commit = states_ == nullptr ? 0 : states_->next_commit();
  machine_.at(kNowSlot) = NumberOf(moment.now_ms);
  machine_.at(kRandomSlot) = NumberOf(moment.random);
  machine_.at(kCommitSlot) = NumberOf(static_cast<int64_t>(commit));
  absl::Span<Rows> states;
  if (states_ != nullptr) {
    before_ = states_->now();
    states = absl::MakeSpan(states_->now());
  }
  const Ending ending = machine_.Run(handler, 0, states);
  if (states_ != nullptr) reply->commit = states_->next_commit();
  reply->result = ending.result;
  reply->detail = ending.fault;
  if (ending.result == Result::kFault &&
      ending.fault == static_cast<uint16_t>(BuiltinFault::kNotFound)) {
    reply->result = Result::kNotFound;
  }
  if (reply->result == Result::kOk) reply->result = Answer(handler, ending, reply);
  if (reply->result != Result::kOk && states_ != nullptr) states_->now() = std::move(before_);
  before_.clear();
}

void Events::Keep(uint16_t view, const Reply& reply) {
  KeptPage& kept = *kept_[view];
  const size_t size = reply.body.size_bytes();
  kept_bytes_ -= kept.size_bytes();
  kept.Forget();
  if (size == 0 || kept_bytes_ + size > kKeptBytesMax) return;
  if (kept.Keep(reply.revision, reply.body.spans()[0])) kept_bytes_ += size;
}

// Changes when what the view may show does: the newest commit that changed a state which it reads,
// and the module. 0: an event of this burst changed one, and the save that makes it a commit is
// still due, maybe with other changes.
uint64_t Events::RevisionOf(const PlanHandler& view) const {
  constexpr int kModuleBits = 20;
  uint64_t commit = 0;
  if (states_ != nullptr) {
    if (view.reads_commit ? states_->Changed() : states_->Changed(view.reads)) return 0;
    commit = view.reads_commit ? states_->commit() : states_->ChangedAt(view.reads);
  }
  return commit << kModuleBits | module_bits_ >> (64 - kModuleBits) | 1;
}

Result Events::Answer(const PlanHandler& handler, const Ending& ending, Reply* reply) {
  const Register& value = *ending.value;
  switch (ending.answer) {
    case Op::kReplyJson: {
      reply->content_type = kJsonType;
      json_.clear();
      AppendJson(value, plan_.types[ending.type], plan_.shapes, &json_);
      const Bytes text = json_;
      return RenderOctets(OctetsOf(&text), &reply->body);
    }
    case Op::kReplyPage: {
      reply->content_type = handler.content_type;
      const Bytes page = machine_.page();
      return RenderOctets(OctetsOf(&page), &reply->body);
    }
    case Op::kReplyRaw:
      reply->content_type = handler.content_type;
      return RenderOctets(value.octets, &reply->body);
    case Op::kReplySee:
      return RenderOctets(value.octets, &reply->location);
    default:
      break;
  }
  if (handler.see.empty()) return Result::kOk;
  const Bytes see = handler.see;
  return RenderOctets(OctetsOf(&see), &reply->location);
}

}  // namespace pure::modules
