#include "transport/fake/fake_transport.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "runtime/check.h"

namespace pure::transport {
namespace {

constexpr uint16_t kFirstFreePort = 49152;  // what a kernel would choose when asked for port 0
constexpr char kReturned = '\xDD';
constexpr size_t kReturnedMax = 64;

}  // namespace

FakeTransport::FakeTransport(const FakeOptions& options, Clock* clock)
    : options_(options),
      clock_(clock),
      random_(options.seed),
      peers_(options.transport.connections),
      lent_(options.lent_buffers_max) {
  for (uint32_t number = options.transport.connections; number > 0; --number) {
    free_.push_back(number - 1);
  }
}

FakeTransport::~FakeTransport() {
  for (Peer& peer : peers_) {
    if (peer.stream != nullptr) peer.stream->server_ended = true;
  }
  for (const std::shared_ptr<FakeStream>& waiting : backlog_) waiting->server_reset = true;
}

bool FakeTransport::OneIn(uint32_t n) { return options_.seed != 0 && random_() % n == 0; }

size_t FakeTransport::PartOf(size_t bytes) { return OneIn(2) ? 1 + random_() % bytes : bytes; }

// ---- Accepting ----

bool FakeTransport::Connect(const std::shared_ptr<FakeStream>& stream) {
  if (!listening_ || backlog_.size() >= backlog_max_) return false;
  stream->window_bytes = options_.window_bytes;
  backlog_.push_back(stream);
  return true;
}

absl::Status FakeTransport::Listen(const ListenOptions& options, uint16_t* port) {
  PURE_CHECK(!listening_ && !stopping_, "a transport listens once");
  listening_ = true;
  backlog_max_ = static_cast<size_t>(options.backlog);
  const bool tcp = options.address.family == ListenAddress::Family::kIpv4 ||
                   options.address.family == ListenAddress::Family::kIpv6;
  *port = !tcp ? 0 : options.address.port != 0 ? options.address.port : kFirstFreePort;
  return absl::OkStatus();
}

void FakeTransport::StartAccepting() {
  PURE_CHECK(listening_ || stopping_, "accepting needs a listener");
  accepting_ = !stopping_;
}

void FakeTransport::PauseAccepting() { accepting_ = false; }

void FakeTransport::StopAccepting() {
  stopping_ = true;
  accepting_ = false;
}

bool FakeTransport::CanAccept() const {
  if (!listening_) return false;
  if (stopping_) return true;  // a client, or the end of accepting
  if (!accepting_ || backlog_.empty() || free_.empty()) return false;
  return !descriptors_lacking_ || !lacking_said_;
}

// ---- Connections ----

const FakeTransport::Peer& FakeTransport::Find(ConnectionId connection) const {
  PURE_CHECK(connection.number < peers_.size() &&
                 peers_[connection.number].generation == connection.generation &&
                 peers_[connection.number].stream != nullptr,
             "the connection is closed");
  return peers_[connection.number];
}

FakeTransport::Peer& FakeTransport::Find(ConnectionId connection) {
  return const_cast<Peer&>(std::as_const(*this).Find(connection));
}

void FakeTransport::SubmitReceive(ConnectionId connection, MutableBytes into) {
  Peer& peer = Find(connection);
  PURE_CHECK(!peer.receiving, "a receive is outstanding");
  peer.receiving = true;
  peer.receive_cancelled = false;
  peer.into = into;
}

void FakeTransport::ReceiveLent(ConnectionId connection) { SubmitReceive(connection, {}); }

void FakeTransport::Receive(ConnectionId connection, MutableBytes into) {
  PURE_CHECK(!into.empty(), "a receive into nothing");
  SubmitReceive(connection, into);
}

void FakeTransport::Return(const Completion& completion) {
  PURE_CHECK(completion.buffer < lent_.size() && lent_[completion.buffer].data != nullptr &&
                 lent_[completion.buffer].data.get() == completion.lent.data(),
             "a buffer is returned that was not lent");
  LentBuffer buffer = std::exchange(lent_[completion.buffer], LentBuffer());
  --lent_count_;
  std::memset(buffer.data.get(), kReturned, buffer.bytes);
  returned_.push_back(std::move(buffer));
  if (returned_.size() > kReturnedMax) returned_.pop_front();
}

void FakeTransport::Send(ConnectionId connection, absl::Span<const Bytes> spans) {
  Peer& peer = Find(connection);
  PURE_CHECK(!peer.sending, "a send is outstanding");
  PURE_CHECK(!peer.shut, "a send after the end of our side");
  PURE_CHECK(!spans.empty() && spans.size() <= kSendSpansMax, "a send of no or too many spans");
  for (const Bytes span : spans) PURE_CHECK(!span.empty(), "a send of an empty span");
  peer.sending = true;
  peer.send_cancelled = false;
  peer.spans.assign(spans.begin(), spans.end());
}

void FakeTransport::ShutdownSend(ConnectionId connection) {
  Peer& peer = Find(connection);
  PURE_CHECK(!peer.sending, "our side is ended while a send is outstanding");
  peer.shut = true;
  peer.stream->server_ended = true;
}

void FakeTransport::Cancel(ConnectionId connection) {
  Peer& peer = Find(connection);
  peer.receive_cancelled = peer.receiving;
  peer.send_cancelled = peer.sending;
}

void FakeTransport::Close(ConnectionId connection, bool reset) {
  Peer& peer = Find(connection);
  PURE_CHECK(!peer.receiving && !peer.sending, "a connection is closed with work outstanding");
  FakeStream& stream = *peer.stream;
  stream.server_ended = true;
  // As in TCP, closing with unread bytes is a reset, and may take with it what was on its way.
  if (reset || !stream.pieces.empty()) {
    stream.server_reset = true;
    stream.unread.clear();
    stream.pieces.clear();
  }
  peer.stream = nullptr;
  free_.push_back(connection.number);
  --open_;
  lacking_said_ = false;
}

size_t FakeTransport::UnsentBytes(ConnectionId connection) const {
  return Find(connection).stream->unread.size();
}

// ---- Waiting ----

bool FakeTransport::CanReceive(const Peer& peer) const {
  if (peer.stream == nullptr || !peer.receiving) return false;
  if (peer.receive_cancelled) return true;
  const FakeStream& stream = *peer.stream;
  if (stream.pieces.empty()) return stream.client_ended || stream.client_reset;
  return !peer.into.empty() || lent_count_ < lent_.size();
}

bool FakeTransport::CanSend(const Peer& peer) {
  if (peer.stream == nullptr || !peer.sending) return false;
  const FakeStream& stream = *peer.stream;
  return peer.send_cancelled || stream.client_closed || stream.unread.size() < stream.window_bytes;
}

// Everything that can be completed now. Whoever the last wait had no room for comes first. With a
// seed it is shuffled, and some of it left for later.
void FakeTransport::ListReady() {
  ready_.clear();
  const auto places = static_cast<uint32_t>(peers_.size()) + 1;  // the first is accepting
  for (uint32_t i = 0; i < places; ++i) {
    const uint32_t place = (first_place_ + i) % places;
    if (place == 0) {
      ListAccepts();
      continue;
    }
    const uint32_t number = place - 1;
    const Peer& peer = peers_[number];
    if (CanSend(peer)) ready_.push_back({Operation::kSend, number});
    if (CanReceive(peer)) ready_.push_back({Operation::kReceive, number});
    if (receive_first_ && ready_.size() > 1 && CanSend(peer) && CanReceive(peer)) {
      std::swap(ready_.back(), *(ready_.end() - 2));
    }
  }
  if (options_.seed == 0 || ready_.empty()) return;
  std::shuffle(ready_.begin(), ready_.end(), random_);
  const size_t kept = PartOf(ready_.size());
  ready_.resize(kept, {Operation::kAccept, 0});
}

void FakeTransport::ListAccepts() {
  if (!CanAccept()) return;
  const size_t clients = std::min(backlog_.size(), free_.size());
  // The last one of a stop, or the one that finds no descriptor, takes nobody.
  const size_t more = stopping_ || descriptors_lacking_ ? 1 : 0;
  ready_.insert(ready_.end(), clients + more, {Operation::kAccept, 0});
}

size_t FakeTransport::Wait(int64_t deadline_ns, absl::Span<Completion> completions) {
  PURE_CHECK(!completions.empty(), "a wait for no completion");
  size_t count = Complete(completions);
  if (woken_.exchange(false, std::memory_order_acq_rel) || count > 0) return count;
  if (idle_ == nullptr || deadline_ns <= clock_->MonotonicNs()) return 0;
  idle_(deadline_ns);
  count = Complete(completions);
  woken_.store(false, std::memory_order_release);
  return count;
}

size_t FakeTransport::Complete(absl::Span<Completion> completions) {
  ListReady();
  size_t count = 0;
  size_t i = 0;
  for (; i < ready_.size() && count < completions.size(); ++i) {
    completions[count] = Completion();
    if (CompleteOne(ready_[i], &completions[count])) ++count;
  }
  const bool all = i == ready_.size();
  const bool accept = !all && ready_[i].operation == Operation::kAccept;
  first_place_ = all || accept ? 0 : ready_[i].number + 1;
  receive_first_ = !receive_first_;
  return count;
}

bool FakeTransport::CompleteOne(const Ready& ready, Completion* completion) {
  completion->operation = ready.operation;
  if (ready.operation == Operation::kAccept) return CompleteAccept(completion);
  Peer& peer = peers_[ready.number];
  completion->connection = {ready.number, peer.generation};
  if (ready.operation == Operation::kReceive) return CompleteReceive(&peer, completion);
  CompleteSend(&peer, completion);
  return true;
}

// False: nothing came of it.
bool FakeTransport::CompleteAccept(Completion* completion) {
  if (!CanAccept()) return false;
  if (stopping_ && (backlog_.empty() || free_.empty() || descriptors_lacking_)) {
    for (const std::shared_ptr<FakeStream>& waiting : backlog_) waiting->server_reset = true;
    backlog_.clear();
    listening_ = false;
    completion->status = Status::kCancelled;
    return true;
  }
  if (descriptors_lacking_) {
    lacking_said_ = true;
    completion->status = Status::kDescriptors;
    return true;
  }
  lacking_said_ = false;
  const uint32_t number = free_.back();
  free_.pop_back();
  ++open_;
  Peer& peer = peers_[number];
  const uint32_t generation = peer.generation + 1;
  peer = Peer();
  peer.generation = generation;
  peer.stream = std::move(backlog_.front());
  backlog_.pop_front();
  completion->connection = {number, generation};
  return true;
}

// False: an earlier completion of this wait took the last buffer.
bool FakeTransport::CompleteReceive(Peer* peer, Completion* completion) {
  if (!CanReceive(*peer)) return false;
  FakeStream& stream = *peer->stream;
  const bool lends = peer->into.empty();
  const bool has_room = !lends || lent_count_ < lent_.size();
  if (peer->receive_cancelled && (stream.pieces.empty() || !has_room || !OneIn(2))) {
    completion->status = Status::kCancelled;
  } else if (stream.client_reset) {
    completion->status = Status::kReset;
  } else if (stream.pieces.empty()) {
    completion->status = Status::kEnd;
  } else {
    std::string& piece = stream.pieces.front();
    const size_t room = lends ? options_.transport.receive_buffer_bytes : peer->into.size();
    completion->bytes = PartOf(std::min(piece.size(), room));
    const MutableBytes into = lends ? Lend(completion->bytes, &completion->buffer) : peer->into;
    std::memcpy(into.data(), piece.data(), completion->bytes);
    if (lends) completion->lent = Bytes(into.data(), completion->bytes);
    piece.erase(0, completion->bytes);
    if (piece.empty()) stream.pieces.pop_front();
  }
  peer->receiving = false;
  return true;
}

MutableBytes FakeTransport::Lend(size_t bytes, uint32_t* buffer) {
  while (lent_[*buffer].data != nullptr) ++*buffer;
  lent_[*buffer] = {std::make_unique<char[]>(bytes), bytes};
  ++lent_count_;
  return MutableBytes(lent_[*buffer].data.get(), bytes);
}

// The bytes are read only here: whoever changed or freed them after the submission sends garbage.
void FakeTransport::CompleteSend(Peer* peer, Completion* completion) {
  FakeStream& stream = *peer->stream;
  size_t room = stream.window_bytes - std::min(stream.window_bytes, stream.unread.size());
  if (stream.client_closed) room = SIZE_MAX;
  if (peer->send_cancelled && (room == 0 || !OneIn(2))) {
    completion->status = Status::kCancelled;
  } else if (send_status_ != Status::kOk) {
    completion->status = send_status_;
  } else if (stream.client_reset) {
    completion->status = Status::kReset;
  } else if (!OneIn(8)) {  // else it was a moment in which the kernel took nothing
    size_t wanted = 0;
    for (const Bytes span : peer->spans) wanted += span.size();
    room = PartOf(std::min(room, wanted));
    for (const Bytes span : peer->spans) {
      const Bytes part = span.substr(0, room - completion->bytes);
      completion->bytes += part.size();
      if (!stream.client_closed) stream.unread.append(part);
    }
    // Nobody reads it: the answer to the first bytes is that the connection is broken.
    if (stream.client_closed) stream.client_reset = true;
  }
  peer->sending = false;
}

}  // namespace pure::transport
