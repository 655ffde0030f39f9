#include "modules/app.h"

#include <new>
#include <utility>

#include "modules/arena.h"
#include "modules/arguments.h"
#include "modules/events.h"
#include "modules/json.h"
#include "modules/kept_pages.h"
#include "modules/lending.h"
#include "modules/machine.h"
#include "modules/plan.h"
#include "modules/rendering.h"
#include "modules/scope.h"
#include "modules/value_json.h"
#include "runtime/check.h"

namespace pure::modules {
namespace {

// Decoded arguments and lists of pieces of one burst. The steps of one message allow lists of 16
// MB.
constexpr size_t kArenaBytesMax = size_t{64} << 20;

}  // namespace

class App::State {
 public:
  State(const Module* module, store::StoreHandle* store, States* states, Budget* budget)
      : plan_(module->plan()),
        store_(*store),
        states_(states),
        kept_(budget == nullptr ? nullptr
                                : std::make_unique<KeptPages>(plan_.handlers.size(), budget)),
        events_(module, states, kept_.get()),
        arena_(kArenaBytesMax),
        machine_(&plan_, &arena_) {}
  ~State() { Settle(); }

  void Apply(const PlanHandler& message, const Key& key, const Condition& condition,
             const Arguments& arguments, Reply* reply);
  void Settle();
  const Plan& plan() const { return plan_; }
  States* states() { return states_; }
  Events& events() { return events_; }
  KeptPages* kept() { return kept_.get(); }
  store::StoreHandle* store() { return &store_; }

 private:
  // A stored value that staged pieces point into. It lies in the arena.
  struct Held {
    Resource value;
    Held* older;
  };

  Result Read(const PlanHandler& message, Bytes key, const Condition& condition,
              store::Found* found, Reply* reply);
  Result Lend(ValueUse use, Bytes key, store::Found* found);
  Octets StoredOctets(const store::Found& found);
  bool FillFixed(const PlanHandler& message, const store::Found& found, Bytes key);
  Result Stage(Bytes key, store::Found* found, Reply* reply);
  Result Answer(const PlanHandler& message, const Ending& ending, store::Found* found,
                Reply* reply);
  Result AnswerOctets(const Octets& octets, bool assigned, store::Found* found, Reply* reply);
  Result OutOfRoom() const { return arena_.at_limit() ? Result::kLimit : Result::kAllocation; }

  const Plan& plan_;
  store::StoreHandle& store_;
  States* const states_;
  const std::unique_ptr<KeptPages> kept_;  // null: none
  Events events_;
  Arena arena_;
  Machine machine_;
  Bytes key_;           // the register of the key points here
  Bytes stored_piece_;  // that of the value too, when it is one piece
  Held* held_ = nullptr;
  uint32_t staged_count_ = 0;
};

void App::State::Settle() {
  for (; held_ != nullptr; held_ = held_->older) held_->value.Reset();
  machine_.Forget();
  arena_.Reset();
  staged_count_ = 0;
}

Result App::State::Lend(ValueUse use, Bytes key, store::Found* found) {
  switch (use) {
    case ValueUse::kNone:
      return store_.Peek(key, found);
    case ValueUse::kStage:
      return store_.FindToStage(key, found);
    case ValueUse::kLook:
      break;
  }
  return store_.Find(key, found);
}

// Reads what the message needs of the document, and checks the condition.
Result App::State::Read(const PlanHandler& message, Bytes key, const Condition& condition,
                        store::Found* found, Reply* reply) {
  if (key.size() > static_cast<size_t>(plan_.key_type.high)) return Result::kNotFound;
  if (const Result read = Lend(message.value_use, key, found); read != Result::kOk) return read;
  if (found->present) reply->revision = found->revision;
  return condition.Holds(found->present, found->revision) ? Result::kOk : Result::kConflict;
}

// The stored value, whose list of pieces stays in its place when the lent value is moved.
Octets App::State::StoredOctets(const store::Found& found) {
  absl::Span<const Bytes> spans = found.value.spans();
  if (spans.size() == 1) {
    stored_piece_ = spans[0];
    spans = absl::MakeConstSpan(&stored_piece_, 1);
  }
  return {spans.data(), spans.size(), found.value.size_bytes(), Origin::kStored};
}

// Fills the registers of value, revision and key. False: no room.
bool App::State::FillFixed(const PlanHandler& message, const store::Found& found, Bytes key) {
  Register& value = machine_.at(kValueSlot);
  value.present = found.present;
  value.octets = StoredOctets(found);
  Register& revision = machine_.at(kRevisionSlot);
  revision.present = true;
  revision.number = found.present ? static_cast<int64_t>(found.revision) : 0;
  key_ = key;
  if (message.reads_key && message.writes) {  // it may become part of what is staged
    char* const copy = arena_.AllocateArray<char>(key.size());
    Bytes* const piece = arena_.AllocateArray<Bytes>(1);
    if (copy == nullptr || piece == nullptr) return false;
    key.copy(copy, key.size());
    *piece = Bytes(copy, key.size());
    machine_.at(kKeySlot).octets = OctetsOf(piece);
  } else {
    machine_.at(kKeySlot).octets = OctetsOf(&key_);
  }
  machine_.at(kKeySlot).present = true;
  return true;
}

void App::State::Apply(const PlanHandler& message, const Key& key, const Condition& condition,
                       const Arguments& arguments, Reply* reply) {
  store::Found found;
  reply->result = Read(message, key.bytes(), condition, &found, reply);
  if (reply->result != Result::kOk) return;

  const Arena::Mark before = arena_.Now();
  reply->result = FillArguments(plan_, message, arguments, &arena_, &machine_, &reply->detail);
  if (reply->result == Result::kOk && !FillFixed(message, found, key.bytes())) {
    reply->result = OutOfRoom();
  }
  std::vector<Rows> states_before;
  if (reply->result == Result::kOk) {
    absl::Span<Rows> states;
    if (states_ != nullptr) {
      states_before = states_->now();
      states = absl::MakeSpan(states_->now());
    }
    const Ending ending = machine_.Run(message, found.revision + 1, states);
    reply->result = ending.result;
    reply->detail = ending.fault;
    if (ending.result == Result::kFault &&
        ending.fault == static_cast<uint16_t>(BuiltinFault::kNotFound)) {
      reply->result = Result::kNotFound;
    }
    if (reply->result == Result::kOk) {
      reply->result = Answer(message, ending, &found, reply);
    }
    if (reply->result == Result::kOk && ending.assigned) {
      reply->result = Stage(key.bytes(), &found, reply);
    }
  }
  if (reply->result != Result::kOk) {
    reply->body.Reset();
    if (!states_before.empty()) states_->now() = std::move(states_before);
  }
  if (reply->result != Result::kOk && reply->result != Result::kConflict) reply->revision = 0;
  if (!reply->wrote) arena_.Rewind(before);
}

// Fills the reply's body and content type.
Result App::State::Answer(const PlanHandler& message, const Ending& ending, store::Found* found,
                          Reply* reply) {
  const Register& value = *ending.value;
  switch (ending.answer) {
    case Op::kReplyRaw: {
      if (message.is_show) reply->content_type = plan_.content_type;
      return AnswerOctets(value.octets, ending.assigned, found, reply);
    }
    case Op::kReplyInt:
      reply->content_type = kJsonType;
      return RenderInt(value.number, &reply->body);
    case Op::kReplyBool:
      reply->content_type = kJsonType;
      reply->body = Resource(value.number != 0 ? "true" : "false", nullptr, nullptr, nullptr);
      return Result::kOk;
    case Op::kReplyText: {
      reply->content_type = kJsonType;
      Bytes flat;
      if (!FlattenOctets(value.octets, &arena_, &flat)) return OutOfRoom();
      return RenderJsonText(flat, &reply->body);
    }
    case Op::kReplyCase: {
      reply->content_type = kJsonType;
      Type choice = TypeOfKind(TypeKind::kChoice);
      choice.shape = ending.type;
      return RenderJsonText(plan_.shapes.cases(choice)[static_cast<size_t>(value.number)],
                            &reply->body);
    }
    case Op::kReplyJson: {
      reply->content_type = kJsonType;
      std::string json;
      AppendJson(value, plan_.types[ending.type], plan_.shapes, &json);
      const Bytes text = json;
      return RenderOctets(OctetsOf(&text), &reply->body);
    }
    case Op::kReplySee:
      return RenderOctets(value.octets, &reply->location);
    default:
      return Result::kOk;
  }
}

// Lends what lies in the stored value, and copies the rest. When a write is staged, its pieces need
// the lent value too.
Result App::State::AnswerOctets(const Octets& octets, bool assigned, store::Found* found,
                                Reply* reply) {
  if (octets.size_bytes == 0 || octets.origin != Origin::kStored) {
    return RenderOctets(octets, &reply->body);
  }
  const bool whole = octets.pieces == machine_.at(kValueSlot).octets.pieces &&
                     octets.size_bytes == found->value.size_bytes();
  if (whole && !assigned) {
    reply->body = std::move(found->value);
    return Result::kOk;
  }
  return LendParts(octets.spans(), assigned, &found->value, &reply->body) ? Result::kOk
                                                                          : Result::kAllocation;
}

// Stages the assigned value, or the erasure of one that is there.
Result App::State::Stage(Bytes key, store::Found* found, Reply* reply) {
  const Register& value = machine_.at(kValueSlot);
  if (!value.present && !found->present) return Result::kOk;
  void* const memory = arena_.Allocate(sizeof(Held));
  if (memory == nullptr) return OutOfRoom();
  const Result result = value.present ? store_.Stage(key, found->revision, value.octets.spans())
                                      : store_.StageErase(key, found->revision);
  if (result != Result::kOk) return result;
  held_ = new (memory) Held{std::move(found->value), held_};
  reply->wrote = true;
  reply->staged_index = staged_count_++;
  reply->revision = value.present ? found->revision + 1 : 0;
  return Result::kOk;
}

App::App(const Module* module, store::StoreHandle* store, States* states, Budget* budget)
    : state_(std::make_unique<State>(module, store, states, budget)) {}
App::~App() = default;

void App::Apply(uint16_t message, const Key& key, const Condition& condition,
                const Arguments& arguments, Reply* reply) {
  const Plan& plan = state_->plan();
  PURE_CHECK(message < plan.messages.size(), "the module has no message of this number");
  *reply = Reply();
  state_->Apply(plan.messages[message], key, condition, arguments, reply);
}

void App::ApplyHandler(uint16_t handler, const Moment& moment, const Arguments& arguments,
                       Reply* reply) {
  PURE_CHECK(handler < state_->plan().handlers.size(), "the module has no handler of this number");
  *reply = Reply();
  state_->events().Apply(handler, moment, arguments, reply);
}

bool App::StatesChanged() const {
  const States* const states = state_->states();
  return states != nullptr && states->Changed();
}

Result App::StageStates() { return state_->states()->Stage(state_->store()); }

void App::StopKeeping() {
  if (KeptPages* const kept = state_->kept(); kept != nullptr) kept->Close();
}

void App::Settle(bool saved) {
  state_->Settle();
  if (States* const states = state_->states(); states != nullptr) states->Settle(saved);
}

}  // namespace pure::modules
