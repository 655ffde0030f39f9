#include "bench/load/load.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"
#include "bench/load/process_cpu.h"

namespace pure::bench {
namespace {

constexpr size_t kReceiveBytes = 256u << 10;
constexpr int kEventsMax = 256;
// A server that drops what it accepts would keep the loop busy for nothing.
constexpr uint64_t kReopensAConnection = 1000;
constexpr int64_t kPreparationNs = 120'000'000'000;

}  // namespace

Load::Load(const LoadOptions& options)
    : options_(options),
      source_(options_),
      connections_(options.connections),
      received_(kReceiveBytes, '\0') {
  for (Connection& connection : connections_) connection.on_way.resize(options.depth);
}

Load::~Load() = default;

absl::StatusOr<LoadReport> Load::Run() {
  absl::StatusOr<LoopbackAddress> address = ParseLoopback(options_.address, options_.port);
  if (!address.ok()) return address.status();
  address_ = *address;
  if (options_.prepare && options_.path.empty()) {
    if (absl::Status status = RunPhase(true, kPreparationNs); !status.ok()) return status;
    if (report_.statuses[200] != options_.keys) {
      return absl::UnavailableError(
          absl::StrCat("only ", report_.statuses[200], " of ", options_.keys,
                       " documents could be prepared (are there some already?)"));
    }
    const LoadReport prepared = std::move(report_);
    report_ = LoadReport();
    report_.sent_in_all = prepared.sent_in_all;
    report_.connected_in_all = prepared.connected_in_all;
  }
  int64_t server_ns = 0;
  if (!options_.server_process_ids.empty()) {
    const absl::StatusOr<int64_t> before = ProcessCpuNs(options_.server_process_ids);
    if (!before.ok()) return before.status();
    server_ns = -*before;
  }
  const int64_t client_ns = OwnCpuNs();
  const absl::Status status = RunPhase(false, static_cast<int64_t>(options_.seconds * 1e9));
  if (!status.ok()) return status;
  const double count = static_cast<double>(std::max<uint64_t>(report_.answered(), 1));
  report_.client_cpu_us = static_cast<double>(OwnCpuNs() - client_ns) / 1e3 / count;
  if (!options_.server_process_ids.empty()) {
    const absl::StatusOr<int64_t> after = ProcessCpuNs(options_.server_process_ids);
    if (!after.ok()) return after.status();
    report_.server_cpu_us = static_cast<double>(server_ns + *after) / 1e3 / count;
  }
  return std::move(report_);
}

absl::Status Load::RunPhase(bool preparing, int64_t seconds_ns) {
  preparing_ = preparing;
  sent_ = 0;
  epoll_ = Descriptor(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll_.valid()) return ErrnoStatus("epoll_create1", errno);
  const int64_t begun_ns = MonotonicNs();
  send_until_ns_ = begun_ns + seconds_ns;
  for (uint32_t i = 0; i < options_.connections; ++i) {
    if (absl::Status status = Open(i); !status.ok()) return status;
  }
  const int64_t end_ns = send_until_ns_ + kAnswerWaitNs;
  // A connection that is not connected yet has not had its say.
  const auto waiting = [this] {
    return on_way_ > 0 ||
           std::any_of(connections_.begin(), connections_.end(),
                       [](const Connection& one) { return one.socket.valid() && !one.connected; });
  };
  for (;;) {
    const int64_t now_ns = MonotonicNs();
    if (now_ns >= end_ns || (!waiting() && !MaySend(now_ns))) break;
    if (preparing && !waiting()) break;
    if (absl::Status status = Turn(now_ns < send_until_ns_ ? send_until_ns_ : end_ns); !status.ok())
      return status;
  }
  report_.seconds = static_cast<double>(std::max(last_answer_ns_, begun_ns) - begun_ns) / 1e9;
  CloseAll();
  return absl::OkStatus();
}

absl::Status Load::Turn(int64_t until_ns) {
  epoll_event events[kEventsMax];
  const int64_t wait_ms = (until_ns - MonotonicNs()) / 1'000'000 + 1;
  const int count = epoll_wait(epoll_.get(), events, kEventsMax,
                               static_cast<int>(std::clamp<int64_t>(wait_ms, 0, 1000)));
  if (count < 0) return errno == EINTR ? absl::OkStatus() : ErrnoStatus("epoll_wait", errno);
  for (int i = 0; i < count; ++i) {
    if (absl::Status status = Handle(events[i].data.u32, events[i].events); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

absl::Status Load::Open(uint32_t number) {
  Connection& connection = connections_[number];
  absl::StatusOr<Descriptor> socket = Connect(address_);
  if (!socket.ok()) return socket.status();
  connection.socket = std::move(*socket);
  connection.connected = false;
  connection.wants_write = true;
  connection.out.clear();
  connection.out_sent = 0;
  connection.oldest = 0;
  connection.on_way_count = 0;
  connection.reader = AnswerReader();
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT;
  event.data.u32 = number;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, connection.socket.get(), &event) != 0) {
    return ErrnoStatus("epoll_ctl", errno);
  }
  return absl::OkStatus();
}

// What was on its way is lost; the rest of the load goes on over a new connection.
absl::Status Load::Reopen(uint32_t number) {
  Connection& connection = connections_[number];
  if (!connection.connected)
    return absl::UnavailableError("nobody listens, or nobody takes connections");
  report_.lost += connection.on_way_count;
  on_way_ -= connection.on_way_count;
  connection.on_way_count = 0;
  connection.socket.Close();
  if (!MaySend(MonotonicNs())) return absl::OkStatus();
  if (++reopened_ > kReopensAConnection * options_.connections) {
    return absl::UnavailableError("the server ends its connections again and again");
  }
  return Open(number);
}

void Load::CloseAll() {
  for (Connection& connection : connections_) {
    report_.lost += connection.on_way_count;
    connection.on_way_count = 0;
    connection.socket.Close();
  }
  on_way_ = 0;
  epoll_.Close();
}

absl::Status Load::Handle(uint32_t number, uint32_t events) {
  Connection& connection = connections_[number];
  if (!connection.socket.valid()) return absl::OkStatus();  // closed earlier in this turn
  if (!connection.connected) {
    int error = 0;
    socklen_t size = sizeof(error);
    (void)getsockopt(connection.socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return ErrnoStatus("connect", error);
    if ((events & (EPOLLOUT | EPOLLIN)) == 0) return absl::OkStatus();
    connection.connected = true;
    ++report_.connected_in_all;
    return Refill(number) ? absl::OkStatus() : Reopen(number);
  }
  bool ended = false;
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) {
    if (absl::Status status = Receive(number, &ended); !status.ok()) return status;
  }
  if (!ended) ended = !Refill(number);
  return ended ? Reopen(number) : absl::OkStatus();
}

absl::Status Load::Receive(uint32_t number, bool* ended) {
  Connection& connection = connections_[number];
  const ssize_t count = recv(connection.socket.get(), received_.data(), received_.size(), 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return absl::OkStatus();
  if (count <= 0) {
    *ended = true;
    return absl::OkStatus();
  }
  return TakeAnswers(&connection, Bytes(received_.data(), static_cast<size_t>(count)), ended);
}

absl::Status Load::TakeAnswers(Connection* connection, Bytes bytes, bool* closes) {
  const int64_t now_ns = MonotonicNs();
  for (;;) {
    const AnswerReader::Step step = connection->reader.Read(&bytes);
    if (step == AnswerReader::Step::kMore) return absl::OkStatus();
    if (step == AnswerReader::Step::kBad)
      return absl::UnavailableError("an answer can not be understood");
    if (connection->on_way_count == 0)
      return absl::UnavailableError("an answer came that nobody asked for");
    Count(connection->on_way[connection->oldest], connection->reader.answer(), now_ns);
    connection->oldest = (connection->oldest + 1) % options_.depth;
    --connection->on_way_count;
    --on_way_;
    last_answer_ns_ = now_ns;
    if (connection->reader.answer().closes) *closes = true;
  }
}

void Load::Count(const Request& request, const Answer& answer, int64_t now_ns) {
  const bool get = request.kind == Request::Kind::kGet ||
                   (request.kind == Request::Kind::kFixed && options_.method == "GET");
  ++(get ? report_.gets : report_.puts);
  ++report_.statuses[answer.status];
  if (!source_.Answered(request, answer)) ++report_.wrong;
  report_.latency_ns.Record(static_cast<uint64_t>(std::max<int64_t>(now_ns - request.sent_ns, 0)));
}

bool Load::MaySend(int64_t now_ns) const {
  if (preparing_) return now_ns < send_until_ns_;
  return now_ns < send_until_ns_ && (options_.requests == 0 || sent_ < options_.requests);
}

bool Load::AddRequest(uint32_t number) {
  Connection& connection = connections_[number];
  Request request;
  if (preparing_) {
    if (!source_.NextPreparation(number, connection.prepared, &connection.out, &request))
      return false;
    ++connection.prepared;
  } else {
    request = source_.Next(number, &connection.out);
  }
  request.sent_ns = MonotonicNs();
  connection.on_way[(connection.oldest + connection.on_way_count) % options_.depth] = request;
  ++connection.on_way_count;
  ++on_way_;
  ++sent_;
  ++report_.sent_in_all;
  return true;
}

bool Load::Refill(uint32_t number) {
  Connection& connection = connections_[number];
  const int64_t now_ns = MonotonicNs();
  while (connection.on_way_count < options_.depth && MaySend(now_ns)) {
    if (!AddRequest(number)) break;
  }
  return Flush(number);
}

bool Load::Flush(uint32_t number) {
  Connection& connection = connections_[number];
  while (connection.out_sent < connection.out.size()) {
    const ssize_t count = send(connection.socket.get(), connection.out.data() + connection.out_sent,
                               connection.out.size() - connection.out_sent, MSG_NOSIGNAL);
    if (count >= 0) {
      connection.out_sent += static_cast<size_t>(count);
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      return false;
    }
  }
  const bool pending = connection.out_sent < connection.out.size();
  if (!pending) {
    connection.out.clear();
    connection.out_sent = 0;
  }
  if (pending == connection.wants_write) return true;
  connection.wants_write = pending;
  epoll_event event{};
  event.events = pending ? (EPOLLIN | EPOLLOUT) : EPOLLIN;
  event.data.u32 = number;
  return epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, connection.socket.get(), &event) == 0;
}

}  // namespace pure::bench
