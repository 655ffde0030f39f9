#include "modules/module_tester.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "modules/app.h"
#include "modules/arena.h"
#include "modules/machine.h"
#include "modules/plan.h"
#include "modules/states.h"

namespace pure::modules {
namespace {

constexpr int64_t kNowMs = 1'767'225'600'000;
constexpr size_t kArenaBytesMax = size_t{64} << 20;
constexpr size_t kShownBytesMax = 200;

Error At(Bytes text, uint32_t offset, std::string what) {
  const Bytes before = text.substr(0, offset);
  const size_t line_begin = before.rfind('\n') == Bytes::npos ? 0 : before.rfind('\n') + 1;
  return {.line = static_cast<uint32_t>(std::count(before.begin(), before.end(), '\n') + 1),
          .column = static_cast<uint32_t>(offset - line_begin + 1),
          .what = std::move(what),
          .help = ""};
}

class Tester {
 public:
  Tester(const Module& module, Bytes text, store::Store* store)
      : module_(module),
        plan_(module.plan()),
        text_(text),
        store_(*store),
        arena_(kArenaBytesMax),
        machine_(&plan_, &arena_) {}

  void Run(const PlanTest& test, TestOutcome* outcome) {
    outcome->name = test.name;
    handle_ = store_.NewHandle();
    const absl::Status opened = States::Open(module_, text_, &store_, &states_);
    app_ = std::make_unique<App>(&module_, handle_.get(), states_.get());
    std::string why = opened.ok() ? "" : std::string(opened.message());
    uint32_t offset = 0;
    for (size_t i = 0; i < test.steps.size() && why.empty(); ++i) {
      offset = test.steps[i].offset;
      why = RunStep(test.steps[i]);
      machine_.Forget();
      arena_.Reset();
      bodies_.clear();
    }
    outcome->passed = why.empty();
    if (!why.empty()) outcome->error = At(text_, offset, std::move(why));
  }

 private:
  // Empty, or why the step failed.
  std::string RunStep(const PlanStep& step) {
    std::vector<Register> answers;
    for (size_t i = 0; i < step.calls.size(); ++i) {
      const PlanCall& call = step.calls[i];
      Reply reply;
      uint64_t revision = 0;
      if (std::string why = RunCall(call, answers, step, &reply, &revision); !why.empty())
        return why;
      const std::string ended = EndOf(reply);
      if (!step.fault.empty()) {
        if (ended == step.fault) return "";
        return absl::StrCat(
            "it should end with the fault `", step.fault, "`, and ",
            ended.empty() ? "it went well" : absl::StrCat("the fault is `", ended, "`"));
      }
      if (!ended.empty()) return absl::StrCat("it ended with the fault `", ended, "`");
      answers.push_back(AnswerOf(call, reply, revision));
    }
    if (!step.has_condition) return "";
    PutAnswers(step, answers);
    const Ending ending = machine_.Run(step.condition, 0, absl::MakeSpan(states_->now()));
    if (ending.result != Result::kOk) return "what is expected can not be computed";
    if (ending.value->number != 0) return "";
    std::string why = "this is not so";
    if (!bodies_.empty()) {
      absl::StrAppend(&why, "; the answer was: ", bodies_.back()->substr(0, kShownBytesMax));
    }
    return why;
  }

  void PutAnswers(const PlanStep& step, const std::vector<Register>& answers) {
    for (size_t i = 0; i < answers.size(); ++i) machine_.at(step.calls[i].slot) = answers[i];
  }

  std::string RunCall(const PlanCall& call, const std::vector<Register>& answers,
                      const PlanStep& step, Reply* reply, uint64_t* revision) {
    PutAnswers(step, answers);
    const Ending ending = machine_.Run(call.arguments, 0, absl::MakeSpan(states_->now()));
    if (ending.result != Result::kOk) return "the arguments can not be computed";
    std::vector<Register> values;
    for (uint16_t i = 0; i < call.count; ++i) {
      values.push_back(machine_.at(static_cast<uint16_t>(call.first + i)));
    }
    handle_->TakeLook();
    if (call.target == PlanCall::Target::kHandler) {
      app_->ApplyHandler(call.index, {.now_ms = kNowMs, .random = ++random_},
                         {.values = values.data()}, reply);
    } else {
      Bytes key;
      if (!FlattenOctets(values[0].octets, &arena_, &key) || !IsKey(key)) return "this is no key";
      if (call.target == PlanCall::Target::kRevision) {
        store::Found found;
        if (handle_->Peek(key, &found) != Result::kOk) return "the document can not be read";
        *revision = found.present ? found.revision : 0;
        return "";
      }
      app_->Apply(call.index, Key(key), Condition(), {.values = values.data() + 1}, reply);
    }
    return Save(reply->wrote);
  }

  std::string Save(bool wrote) {
    Result saved = Result::kOk;
    const bool changed = app_->StatesChanged();
    if (changed) saved = app_->StageStates();
    if (saved == Result::kOk && (changed || wrote)) saved = handle_->Commit();
    app_->Settle(saved == Result::kOk);
    return saved == Result::kOk ? "" : absl::StrCat("the save failed: ", ResultName(saved));
  }

  // The name of the fault; empty: it went well.
  std::string EndOf(const Reply& reply) const {
    if (reply.result == Result::kFault) return plan_.faults[reply.detail].name;
    return reply.result == Result::kOk ? "" : std::string(ResultName(reply.result));
  }

  Register AnswerOf(const PlanCall& call, const Reply& reply, uint64_t revision) {
    if (call.target == PlanCall::Target::kRevision) {
      return {.number = static_cast<int64_t>(revision)};
    }
    bodies_.push_back(std::make_unique<std::string>());
    for (const Bytes span : reply.body.spans()) bodies_.back()->append(span);
    spans_.push_back(std::make_unique<Bytes>(*bodies_.back()));
    return {.octets = OctetsOf(spans_.back().get())};
  }

  const Module& module_;
  const Plan& plan_;
  const Bytes text_;
  store::Store& store_;
  std::unique_ptr<store::StoreHandle> handle_;
  std::unique_ptr<States> states_;
  std::unique_ptr<App> app_;
  Arena arena_;
  Machine machine_;
  int64_t random_ = 0;
  std::vector<std::unique_ptr<std::string>> bodies_;  // of the answers of the step at hand
  std::vector<std::unique_ptr<Bytes>> spans_;
};

}  // namespace

std::vector<TestOutcome> RunTests(const Module& module, Bytes text,
                                  absl::FunctionRef<std::unique_ptr<store::Store>()> new_store) {
  std::vector<TestOutcome> outcomes;
  for (const PlanTest& test : module.plan().tests) {
    const std::unique_ptr<store::Store> store = new_store();
    Tester(module, text, store.get()).Run(test, &outcomes.emplace_back());
  }
  return outcomes;
}

}  // namespace pure::modules
