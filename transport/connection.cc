#include "transport/connection.h"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "runtime/check.h"

// The life of a connection: opening, deadlines, closing. Input and output stand in files of their
// own.

namespace pure::transport {

void Connection::Open(ConnectionId id) {
  PURE_CHECK(free(), "a connection is opened twice");
  id_ = id;
  phase_ = Phase::kOpen;
  idle_since_ns_ = services_->now_ns;
  ++services_->open;
  ++services_->counters.accepted;
  Advance();
}

void Connection::Advance() {
  if (blocked_ && CanParse()) ParseKept();
  if (phase_ == Phase::kOpen) Flush();
  if (phase_ == Phase::kOpen && input_ended_ && count_ == 0 && !sending_) Abort(false);
  if (phase_ == Phase::kOpen || phase_ == Phase::kDraining) {
    Listen();
    SetDeadline();
  }
}

// No request is being read, run or answered.
bool Connection::Idle() const {
  return phase_ == Phase::kOpen && count_ == 0 && !sending_ && in_begin_ == in_end_;
}

void Connection::OnStop() {
  if (phase_ == Phase::kOpen) SetDeadline();
}

// After the closing answer: our side ends; what the client still sends is read and dropped, so that
// a reset does not destroy the answer on its way (RFC 9112 section 9.6).
void Connection::BeginDrain() {
  if (input_ended_) return Abort(false);
  services_->transport->ShutdownSend(id_);
  phase_ = Phase::kDraining;
  drain_until_ns_ = services_->now_ns + services_->options.drain_ns;
}

// Ends it now. What the transport works on is released when it has said so.
void Connection::Abort(bool reset) {
  if (phase_ == Phase::kFree || phase_ == Phase::kClosing) return;
  phase_ = Phase::kClosing;
  reset_ = reset;
  services_->idle.Remove(id_.number);
  services_->deadlines.Set(id_.number, kNever);
  if (receiving_ || sending_) services_->transport->Cancel(id_);
  FinishIfQuiet();
}

void Connection::FinishIfQuiet() {
  if (receiving_ || sending_) return;
  while (first_ != kNoExchange) {
    Transfer& transfer = services_->exchanges[first_].transfer;
    if (transfer.active()) {
      transfer.Abort();
    } else {
      DropFirst();
    }
  }
  if (orphan_) (void)services_->runtime->Release(orphan_);
  if (in_ != nullptr) services_->in_blocks.Give(in_);
  if (out_ != nullptr) services_->out_blocks.Give(out_);
  services_->transport->Close(id_, reset_);
  --services_->open;
  Services* const services = services_;
  std::destroy_at(this);
  new (this) Connection(services);
}

// What the kernel took counts when the client has acknowledged it: its buffers swallow megabytes at
// once.
bool Connection::SendingGoesOn() {
  const auto unsent = static_cast<int64_t>(services_->transport->UnsentBytes(id_));
  return send_rate_.Continue(services_->now_ns, static_cast<int64_t>(sent_bytes_) - unsent,
                             services_->options.bytes_per_second_min);
}

bool Connection::BodyGoesOn() {
  return body_rate_.Continue(services_->now_ns, static_cast<int64_t>(body_bytes_),
                             services_->options.bytes_per_second_min);
}

int64_t Connection::Deadline() const {
  const ConnectionOptions& options = services_->options;
  if (phase_ == Phase::kDraining) return drain_until_ns_;
  if (Idle()) {
    const int64_t idle_ns = idle_since_ns_ + options.timeout_ns;
    return services_->stop_ns == 0 ? idle_ns
                                   : std::min(idle_ns, services_->stop_ns + options.drain_ns);
  }
  int64_t deadline_ns = kNever;
  if (sending_) deadline_ns = send_rate_.deadline_ns();
  if (incoming_ != kNoExchange) {
    deadline_ns = std::min(deadline_ns, body_rate_.deadline_ns());
  } else if (head_begun_ns_ != 0) {
    deadline_ns = std::min(deadline_ns, head_begun_ns_ + options.timeout_ns);
  }
  return deadline_ns;
}

void Connection::SetDeadline() {
  services_->deadlines.Set(id_.number, Deadline());
  if (Idle()) {
    services_->idle.Add(id_.number);
  } else {
    services_->idle.Remove(id_.number);
  }
}

void Connection::OnDeadline() {
  if (phase_ == Phase::kFree || phase_ == Phase::kClosing) return;
  if (Deadline() > services_->now_ns) return SetDeadline();
  if (phase_ == Phase::kDraining || Idle()) return Abort(false);
  const int64_t now_ns = services_->now_ns;
  if (sending_ && send_rate_.deadline_ns() <= now_ns && !SendingGoesOn()) {
    ++services_->counters.expired;
    return Abort(true);
  }
  const bool body = incoming_ != kNoExchange;
  const bool body_stalls = body && body_rate_.deadline_ns() <= now_ns && !BodyGoesOn();
  const bool head_stalls =
      !body && head_begun_ns_ != 0 && head_begun_ns_ + services_->options.timeout_ns <= now_ns;
  if (body_stalls || head_stalls) return Expire();
  SetDeadline();
}

// The request that is being read came too slowly: 408, unless it is nothing but the empty line that
// some clients send after a body, which is no request.
void Connection::Expire() {
  if (incoming_ == kNoExchange &&
      Bytes("\r\n").substr(0, in_end_ - in_begin_) == Bytes(in_ + in_begin_, in_end_ - in_begin_)) {
    return Abort(false);
  }
  ++services_->counters.expired;
  last_request_ = true;
  head_begun_ns_ = 0;
  Exchange* exchange;
  if (incoming_ != kNoExchange) {
    exchange = &services_->exchanges[incoming_];
    incoming_ = kNoExchange;
    services_->slots[exchange->ticket.slot].ticket = {};
    if (receiving_) {
      orphan_ = std::exchange(exchange->ticket, {});
    } else {
      ReleaseTicket(exchange);
    }
  } else {
    exchange = Append();
    if (exchange == nullptr) return Abort(false);
  }
  AnswerNow(exchange, 408, "expired", true);
  Advance();
}

}  // namespace pure::transport
