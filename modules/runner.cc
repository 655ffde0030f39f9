#include "modules/runner.h"

#include "modules/json.h"
#include "modules/rendering.h"
#include "modules/scope.h"
#include "modules/value_json.h"

namespace pure::modules {
namespace {

// Decoded arguments, rows and lists of pieces of one event.
constexpr size_t kArenaBytesMax = size_t{64} << 20;

Register NumberOf(int64_t number) { return {.number = number}; }

}  // namespace

Runner::Runner(const Module* module)
    : plan_(module->plan()), arena_(kArenaBytesMax), machine_(&plan_, &arena_) {}

void Runner::Run(uint16_t index, const Moment& moment, uint64_t commit, const Arguments& arguments,
                 absl::Span<Rows> states, Reply* reply) {
  const PlanHandler& handler = plan_.handlers[index];
  reply->result = FillArguments(plan_, handler, arguments, &arena_, &machine_, &reply->detail);
  if (reply->result == Result::kOk) {
    machine_.at(kNowSlot) = NumberOf(moment.now_ms);
    machine_.at(kRandomSlot) = NumberOf(moment.random);
    machine_.at(kCommitSlot) = NumberOf(static_cast<int64_t>(commit));
    const Ending ending = machine_.Run(handler, 0, states);
    reply->result = ending.result;
    reply->detail = ending.fault;
    if (ending.result == Result::kFault &&
        ending.fault == static_cast<uint16_t>(BuiltinFault::kNotFound)) {
      reply->result = Result::kNotFound;
    }
    if (reply->result == Result::kOk) reply->result = Answer(handler, ending, reply);
  }
  if (reply->result != Result::kOk) {
    reply->body.Reset();
    reply->location.Reset();
  }
  machine_.Forget();
  arena_.Reset();
}

Result Runner::Answer(const PlanHandler& handler, const Ending& ending, Reply* reply) {
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
