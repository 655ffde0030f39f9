#pragma once

// Connection: the state machine of one client: reads requests, admits them to the runtime, answers
// in order, keeps the deadlines, and closes so that the client can read its last answer. It speaks
// to the transport by completions only.
//
//   open ──closing answer sent──> draining ──end, or 500 ms──> closing ──nothing outstanding──>
//   free
//    └──────────── reset, deadline of sending, idle time ────────^
//
// What the transport works on (ingress, answers) is released only after its last completion.
//
// Thread: its shard's. Lifetime: borrows the services. Cost: no allocation in steady state.

#include <cstddef>
#include <cstdint>

#include "executor/job.h"
#include "runtime/bytes.h"
#include "transport/exchange.h"
#include "transport/http1/head.h"
#include "transport/rate_guard.h"
#include "transport/services.h"
#include "transport/transport.h"

namespace pure::transport {

class Connection {
 public:
  explicit Connection(Services* services)
      : services_(services), parser_(services->options.header_bytes_max) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // A new client. REQUIRES: free().
  void Open(ConnectionId id);
  bool free() const { return phase_ == Phase::kFree; }
  ConnectionId id() const { return id_; }

  void OnReceived(const Completion& completion);
  void OnSent(const Completion& completion);
  // The executor is done with an exchange of this connection; call Advance when the whole burst was
  // handed over.
  void OnApplied(uint32_t exchange, executor::Applied* applied);
  // Sends what is ready, reads on where it can, and sets the deadline.
  void Advance();
  void OnDeadline();
  // The server is stopping, or its time to stop is over.
  void OnStop();
  void Abort(bool reset);

  // Its requests that the owner of the states has: those behind them have to follow them there.
  uint32_t at_owner() const { return at_owner_; }
  void PostedToOwner() { ++at_owner_; }
  void BackFromOwner() { --at_owner_; }
  // It has a view in the round at hand that its shard answers: what comes behind it goes to the
  // owner after that.
  bool awaits_view() const { return awaits_view_; }
  void SetAwaitsView(bool awaits) { awaits_view_ = awaits; }

  // Since when it has had no request, if it has none now.
  int64_t idle_since_ns() const { return idle_since_ns_; }

 private:
  enum class Phase : uint8_t { kFree, kOpen, kDraining, kClosing };

  // Input.
  void Input(Bytes fresh);
  size_t ParseAll(Bytes bytes);
  bool CanParse() const;
  size_t StartExchange(const http1::Head& head, Bytes rest);
  size_t StartApp(const http1::Head& head, const Routed& routed, Bytes rest, Exchange* exchange);
  void StartPage(const http1::Head& head, Exchange* exchange);
  void Refuse(http1::Refusal refusal);
  void KeepInput(Bytes rest);
  void ParseKept();
  void BodyArrived(size_t bytes);
  void EndInput();
  void Listen();

  // Output.
  Exchange* Append();
  void AnswerNow(Exchange* exchange, uint16_t status, Bytes error, bool closes);
  void AnswerResult(Exchange* exchange, const executor::Applied& applied, const Outcome& outcome);
  void TellWhy(const FaultAnswers::Body& body, Exchange* exchange);
  void Flush();
  void RenderBatch();
  bool Render(Exchange* exchange);
  void SendBatch();
  void SendContinue();
  void ConsumeSent(size_t bytes);
  void FitPipeline();
  static void AnswerSent(void* exchange);
  void DropFirst();
  void DropLast();
  void CountLess();
  void ReleaseTicket(Exchange* exchange);

  // Life.
  bool Idle() const;
  void BeginDrain();
  void FinishIfQuiet();
  int64_t Deadline() const;
  void SetDeadline();
  bool SendingGoesOn();
  bool BodyGoesOn();
  void Expire();

  Services* const services_;
  ConnectionId id_;
  Phase phase_ = Phase::kFree;
  bool receiving_ = false;         // a receive is outstanding
  bool sending_ = false;           // a send is outstanding
  bool sending_continue_ = false;  // and it is the 100 Continue
  bool input_ended_ = false;       // the client has ended its side
  bool last_request_ = false;      // nothing after what was read is executed
  bool reset_ = false;             // closing is a reset
  bool blocked_ = false;           // kept input waits for room in the pipeline

  uint32_t first_ = kNoExchange;  // exchanges in the order of the requests
  uint32_t last_ = kNoExchange;
  uint32_t count_ = 0;
  uint32_t at_owner_ = 0;
  bool awaits_view_ = false;
  uint32_t batch_ = 0;               // of them, from the first: written out and not all sent
  uint32_t incoming_ = kNoExchange;  // whose body is on the way; always the last
  Ticket orphan_;                    // of an expired body that the transport still receives into

  http1::HeadParser parser_;
  char* in_ = nullptr;  // kept input: in_[in_begin_, in_end_)
  size_t in_begin_ = 0;
  size_t in_end_ = 0;
  char* out_ = nullptr;  // written heads and short bodies: out_[0, out_end_)
  size_t out_end_ = 0;

  size_t body_bytes_ = 0;    // received of the incoming body
  uint64_t sent_bytes_ = 0;  // of all answers
  size_t batch_bytes_ = 0;   // of this batch
  uint32_t pipeline_ = 1;    // requests taken at once now
  size_t continue_sent_ = 0;
  int64_t head_begun_ns_ = 0;  // when the head being read began; 0: none
  RateGuard body_rate_;
  RateGuard send_rate_;
  int64_t idle_since_ns_ = 0;
  int64_t drain_until_ns_ = 0;
};

}  // namespace pure::transport
