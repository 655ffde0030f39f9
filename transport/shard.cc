#include "transport/shard.h"

#include <algorithm>
#include <utility>

#include "runtime/check.h"

namespace pure::transport {
namespace {

constexpr size_t kCompletionsMax = 1024;      // of one turn
constexpr size_t kOutBlockBytes = 64u << 10;  // holds 32 answers of 1.5 KB with their heads
constexpr size_t kReadBytes = 256u << 10;     // of views, before they are answered
constexpr int64_t kDateNs = 100'000'000;      // how old the Date of an answer may be
constexpr int64_t kIdleNsMin =
    50'000'000;  // before a client without a request may have to make room

// A second exchange for each connection, on the average, serves pipelining.
uint32_t ExchangesOf(const ShardOptions& options) { return 2 * options.connections; }

}  // namespace

Shard::Shard(const Parts& parts, const ShardOptions& options)
    : parts_(parts),
      options_(options),
      runtime_({.slots = ExchangesOf(options), .budget_bytes = options.budget_bytes}, parts.memory),
      executor_(parts.owner != nullptr
                    ? nullptr
                    : std::make_unique<executor::Executor>(
                          executor::Executor::Parts{.module = parts.module,
                                                    .store = parts.store,
                                                    .states = parts.states,
                                                    .budget = runtime_.mutable_budget(),
                                                    .clock = parts.clock,
                                                    .entropy = parts.entropy},
                          ExchangesOf(options))),
      reader_(parts.owner == nullptr
                  ? nullptr
                  : std::make_unique<executor::Reader>(parts.module, parts.owner->published(),
                                                       runtime_.mutable_budget())),
      services_{.transport = parts.transport,
                .runtime = &runtime_,
                .router = parts.router,
                .pages = parts.pages,
                .faults = parts.faults,
                .options = options.connection,
                .in_blocks = BlockPool(
                    options.receive_buffer_bytes +
                        std::max(options.receive_buffer_bytes, options.connection.header_bytes_max),
                    options.connections),
                .out_blocks = BlockPool(kOutBlockBytes, options.connections),
                .exchanges = ExchangePool(ExchangesOf(options)),
                .deadlines = Deadlines(options.connections),
                .slots = std::vector<SlotOwner>(ExchangesOf(options)),
                .idle = IdleList(options.connections),
                .counters = {},
                .connections_max = options.connections,
                .date = {},
                .send_list = {}},
      connections_(options.connections),
      jobs_(ExchangesOf(options)),
      completions_(kCompletionsMax) {
  answered_.reserve(ExchangesOf(options));
  if (reader_ == nullptr) return;
  views_.reserve(ExchangesOf(options));
  behind_.reserve(ExchangesOf(options));
  read_.reserve(ExchangesOf(options));
}

Shard::~Shard() = default;

size_t Shard::JobsMax(const ShardOptions& options) { return ExchangesOf(options); }

void Shard::Run() {
  Start();
  while (Turn(kNever)) {
  }
}

void Shard::Start() {
  UpdateTime();
  parts_.transport->StartAccepting();
}

bool Shard::Turn(int64_t deadline_ns) {
  const bool may_wait = !AwaitsOwner() || parts_.owner->MaySleep(parts_.number);
  const size_t count =
      parts_.transport->Wait(may_wait ? std::min(deadline_ns, WaitUntil()) : services_.now_ns,
                             absl::MakeSpan(completions_));
  UpdateTime();
  for (size_t i = 0; i < count; ++i) Handle(completions_[i]);
  if (AwaitsOwner()) TakeBack();
  RunRounds();
  ExpireDeadlines();
  MakeRoom();
  const Asked asked = asked_.load(std::memory_order_acquire);
  if (asked != Asked::kNothing && services_.stop_ns == 0) BeginStop(asked == Asked::kToStop);
  PublishCounts();
  if (services_.stop_ns == 0) return true;
  if (services_.now_ns >= services_.stop_ns + options_.stop_ns) {
    for (std::unique_ptr<Connection>& connection : connections_) {
      if (connection != nullptr) connection->Abort(true);
    }
  }
  // What the owner has is waited for, also when its clients have gone.
  return accepting_ || services_.open > 0 || runtime_.taken_count() > 0;
}

int64_t Shard::WaitUntil() const {
  int64_t until_ns = std::min(services_.deadlines.Next(), MakeRoomAt());
  // After its end only the owner is waited for.
  const int64_t end_ns = services_.stop_ns + options_.stop_ns;
  if (services_.stop_ns != 0 && services_.now_ns < end_ns) until_ns = std::min(until_ns, end_ns);
  return until_ns;
}

bool Shard::AwaitsOwner() const { return parts_.owner != nullptr && runtime_.taken_count() > 0; }

void Shard::UpdateTime() {
  services_.now_ns = parts_.clock->MonotonicNs();
  if (services_.now_ns < date_until_ns_) return;
  date_until_ns_ = services_.now_ns + kDateNs;
  http1::WriteDate(parts_.clock->WallMs(), MutableBytes(services_.date, http1::kDateBytes));
}

void Shard::Handle(const Completion& completion) {
  if (completion.operation == Operation::kAccept) {
    if (completion.status == Status::kOk) return Accepted(completion.connection);
    if (completion.status == Status::kCancelled) accepting_ = false;
    return;
  }
  Connection& connection = *connections_[completion.connection.number];
  PURE_CHECK(connection.id() == completion.connection,
             "a completion of a connection that is closed");
  if (completion.operation == Operation::kReceive) {
    connection.OnReceived(completion);
    if (!completion.lent.empty()) parts_.transport->Return(completion);
  } else {
    connection.OnSent(completion);
  }
}

void Shard::Accepted(ConnectionId id) {
  std::unique_ptr<Connection>& connection = connections_[id.number];
  if (connection == nullptr) connection = std::make_unique<Connection>(&services_);
  connection->Open(id);
}

// When the last place is taken, whoever is idle longest may be closed from this moment on; kNever:
// there is a place, or nobody is idle. A new client is given a moment to send its request before it
// counts as idle here.
int64_t Shard::MakeRoomAt() const {
  if (services_.open < options_.connections) return kNever;
  const uint32_t idle = services_.idle.First();
  return idle == IdleList::kNone ? kNever : connections_[idle]->idle_since_ns() + kIdleNsMin;
}

// Idle clients can not keep others out: one place is kept free by closing them.
void Shard::MakeRoom() {
  if (MakeRoomAt() <= services_.now_ns) connections_[services_.idle.First()]->Abort(false);
}

// Everything that is ready, as rounds; answering can make more ready.
void Shard::RunRounds() {
  while (runtime_.ready_count() > 0) {
    size_t count = 0;
    while (count < jobs_.size() && runtime_.Take(&jobs_[count].effect)) {
      jobs_[count].route = services_.slots[jobs_[count].effect.ticket.slot].route;
      ++count;
    }
    if (parts_.owner != nullptr) {
      Distribute(count);
    } else {
      executor_->Run(absl::MakeConstSpan(jobs_).first(count),
                     [this](absl::Span<executor::Applied> burst) { FinishBurst(burst); });
    }
  }
}

// Hands the first `count` jobs to the owner, but for views that need not wait for it. Each
// connection sees its requests done in their order.
void Shard::Distribute(size_t count) {
  size_t posted = 0;
  for (size_t i = 0; i < count; ++i) {
    Connection* const connection = WhoAwaits(jobs_[i].effect.ticket);
    const bool follows = connection != nullptr && connection->at_owner() > 0;
    if (!follows && reader_->Reads(jobs_[i].route)) {
      if (connection != nullptr) connection->SetAwaitsView(true);
      views_.push_back(jobs_[i]);
      continue;
    }
    if (connection != nullptr) connection->PostedToOwner();
    if (connection != nullptr && connection->awaits_view()) {
      behind_.push_back(jobs_[i]);
    } else {
      jobs_[posted++] = jobs_[i];
    }
  }
  for (const executor::Job& view : views_) {
    if (Connection* const connection = WhoAwaits(view.effect.ticket))
      connection->SetAwaitsView(false);
  }
  if (posted > 0) parts_.owner->Post(parts_.number, absl::MakeConstSpan(jobs_).first(posted));
  ReadViews();
  if (!behind_.empty()) parts_.owner->Post(parts_.number, behind_);
  behind_.clear();
}

void Shard::ReadViews() {
  size_t bytes = 0;
  const auto answer = [&] {
    FinishBurst(absl::MakeSpan(read_));
    read_.clear();
    bytes = 0;
  };
  for (const executor::Job& job : views_) {
    reader_->Apply(job, &read_.emplace_back());
    bytes += read_.back().body.size_bytes();
    if (bytes >= kReadBytes) answer();
  }
  views_.clear();
  answer();
}

// Null: its client has gone.
Connection* Shard::WhoAwaits(Ticket ticket) {
  const SlotOwner& owner = services_.slots[ticket.slot];
  return owner.ticket == ticket ? services_.exchanges[owner.exchange].connection : nullptr;
}

// What the owner has applied.
void Shard::TakeBack() {
  for (absl::Span<executor::Applied> burst = parts_.owner->TakeBack(parts_.number); !burst.empty();
       burst = parts_.owner->TakeBack(parts_.number)) {
    for (const executor::Applied& applied : burst) {
      Connection* const connection = WhoAwaits(applied.ticket);
      if (connection != nullptr) connection->BackFromOwner();
    }
    FinishBurst(burst);
  }
}

// After the save of a burst: completes its tickets, then sends each connection's answers at once.
void Shard::FinishBurst(absl::Span<executor::Applied> burst) {
  answered_.clear();
  for (executor::Applied& applied : burst) {
    Connection* const connection = WhoAwaits(applied.ticket);
    PURE_CHECK(runtime_.Complete(applied.ticket, applied.result, applied.revision,
                                 std::move(applied.body)),
               "an applied request is not in the runtime");
    if (connection == nullptr) continue;
    connection->OnApplied(services_.slots[applied.ticket.slot].exchange, &applied);
    if (answered_.empty() || answered_.back() != connection->id().number) {
      answered_.push_back(connection->id().number);
    }
  }
  for (const uint32_t number : answered_) connections_[number]->Advance();
}

void Shard::ExpireDeadlines() {
  uint32_t number;
  while (services_.deadlines.PopExpired(services_.now_ns, &number))
    connections_[number]->OnDeadline();
}

void Shard::Stop() {
  asked_.store(Asked::kToStop, std::memory_order_release);
  parts_.transport->Wake();
}

void Shard::Retire() {
  asked_.store(Asked::kToRetire, std::memory_order_release);
  parts_.transport->Wake();
}

void Shard::BeginStop(bool refuses) {
  services_.stop_ns = std::max<int64_t>(services_.now_ns, 1);
  if (refuses) runtime_.Stop();
  if (executor_ != nullptr) executor_->StopKeeping();
  if (reader_ != nullptr) reader_->StopKeeping();
  if (parts_.owner != nullptr) parts_.owner->StopGathering();
  parts_.transport->StopAccepting();
  for (std::unique_ptr<Connection>& connection : connections_) {
    if (connection != nullptr) connection->OnStop();
  }
}

void Shard::PublishCounts() {
  const RuntimeCounters& runtime = runtime_.counters();
  const ConnectionCounters& connections = services_.counters;
  const executor::ExecutorCounters executor =
      executor_ == nullptr ? executor::ExecutorCounters() : executor_->counters();
  statistics_.Publish({services_.open, runtime_.budget().retained_bytes(),
                       runtime_.budget().retained_bytes_peak(), connections.accepted,
                       connections.requests, executor.bursts, executor.burst_events,
                       connections.expired, runtime.budget_rejections,
                       runtime.borrowed_output_bytes, runtime.accepted, runtime.releases});
}

}  // namespace pure::transport
