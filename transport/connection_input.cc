#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/check.h"
#include "transport/answers.h"
#include "transport/connection.h"

// The reading half of a connection: heads, bodies, and what they start.

namespace pure::transport {

void Connection::OnReceived(const Completion& completion) {
  receiving_ = false;
  if (orphan_) (void)services_->runtime->Release(std::exchange(orphan_, {}));
  if (phase_ == Phase::kClosing) return FinishIfQuiet();
  if (completion.status == Status::kEnd) {
    EndInput();
  } else if (completion.status != Status::kOk) {
    return Abort(true);
  } else if (phase_ == Phase::kOpen) {
    if (incoming_ != kNoExchange) {
      BodyArrived(completion.bytes);
    } else {
      Input(completion.lent);
    }
  }
  Advance();
}

// The client has ended its side: what it had begun is dropped without a word, what was complete is
// answered.
void Connection::EndInput() {
  input_ended_ = true;
  if (phase_ == Phase::kDraining) return Abort(false);
  head_begun_ns_ = 0;
  if (incoming_ != kNoExchange) {
    incoming_ = kNoExchange;
    DropLast();
  }
}

// Reads on, where there is room: into the body that is due, else into a lent buffer.
void Connection::Listen() {
  if (receiving_ || input_ended_) return;
  if (phase_ == Phase::kDraining) {
    services_->transport->ReceiveLent(id_);
  } else if (incoming_ != kNoExchange) {
    const MutableBytes ingress =
        services_->runtime->Ingress(services_->exchanges[incoming_].ticket);
    services_->transport->Receive(id_, ingress.subspan(body_bytes_));
  } else if (CanParse()) {
    services_->transport->ReceiveLent(id_);
  } else {
    return;
  }
  receiving_ = true;
}

// One exchange is always kept for each connection that has none, so that pipelining takes nothing
// from others.
bool Connection::CanParse() const {
  if (phase_ != Phase::kOpen || last_request_ || incoming_ != kNoExchange) return false;
  if (count_ == 0) return true;
  const uint32_t reserved = services_->connections_max - services_->busy;
  return count_ < pipeline_ && services_->exchanges.free_count() > reserved;
}

void Connection::Input(Bytes fresh) {
  if (in_begin_ == in_end_) {
    KeepInput(fresh.substr(ParseAll(fresh)));
  } else {
    PURE_CHECK(in_end_ + fresh.size() <= services_->in_blocks.block_bytes(),
               "input outgrows its block");
    std::memcpy(in_ + in_end_, fresh.data(), fresh.size());
    in_end_ += fresh.size();
    ParseKept();
  }
}

// Goes on with what was kept, when it has grown or an answer has made room.
void Connection::ParseKept() {
  in_begin_ += ParseAll(Bytes(in_ + in_begin_, in_end_ - in_begin_));
  if (last_request_) in_begin_ = in_end_;
  if (in_begin_ != in_end_) {
    std::memmove(in_, in_ + in_begin_, in_end_ - in_begin_);
    in_end_ -= in_begin_;
    in_begin_ = 0;
    return;
  }
  in_begin_ = in_end_ = 0;
  services_->in_blocks.Give(std::exchange(in_, nullptr));
}

void Connection::KeepInput(Bytes rest) {
  if (rest.empty() || last_request_) return;
  in_ = services_->in_blocks.Take();
  if (in_ == nullptr) return Abort(true);
  std::memcpy(in_, rest.data(), rest.size());
  in_end_ = rest.size();
}

// Starts all requests that are complete in `bytes`; returns how many bytes they took.
size_t Connection::ParseAll(Bytes bytes) {
  size_t taken = 0;
  blocked_ = false;
  while (taken < bytes.size()) {
    if (!CanParse()) {
      blocked_ = !last_request_;
      break;
    }
    http1::Head head;
    switch (parser_.Parse(bytes.substr(taken), &head)) {
      case http1::ParseResult::kIncomplete:
        if (head_begun_ns_ == 0) head_begun_ns_ = services_->now_ns;
        return taken;
      case http1::ParseResult::kRefused:
        Refuse(parser_.refusal());
        return bytes.size();
      case http1::ParseResult::kComplete:
        break;
    }
    parser_.Reset();
    head_begun_ns_ = 0;
    taken += head.size_bytes;
    taken += StartExchange(head, bytes.substr(taken));
  }
  return taken;
}

void Connection::Refuse(http1::Refusal refusal) {
  ++services_->counters.requests;
  head_begun_ns_ = 0;
  AnswerNow(Append(), http1::RefusalStatus(refusal), http1::RefusalName(refusal), true);
}

// Starts one request; returns how much of `rest`, what came behind its head, is its body.
size_t Connection::StartExchange(const http1::Head& head, Bytes rest) {
  ++services_->counters.requests;
  Exchange* const exchange = Append();
  exchange->head_only = head.method == http1::Method::kHead;
  exchange->closes = !head.keep_alive;
  last_request_ = exchange->closes;
  const Routed routed = services_->router->Route(head);
  switch (routed.kind) {
    case Routed::Kind::kApply:
      return StartApp(head, routed, rest, exchange);
    case Routed::Kind::kPage:
      StartPage(head, exchange);
      return 0;
    case Routed::Kind::kAnswer:
      break;
  }
  exchange->allow = routed.allow;
  exchange->challenge = routed.challenge;
  AnswerNow(exchange, routed.status, routed.error, routed.close || head.content_length > 0);
  return 0;
}

// The arguments of a read stand in its head, and become its payload.
size_t Connection::StartApp(const http1::Head& head, const Routed& routed, Bytes rest,
                            Exchange* exchange) {
  Runtime& runtime = *services_->runtime;
  const bool writes = routed.effect == Kind::kWrite;
  const size_t size = writes ? static_cast<size_t>(head.content_length) : routed.arguments.size();
  const Result admitted =
      runtime.Accept(routed.effect, routed.key, routed.condition, size, &exchange->ticket);
  if (admitted != Result::kOk) {
    exchange->retry_after = StatusOf(admitted).retry_after;
    const bool closes = (writes && size > 0) || admitted == Result::kStopped;
    AnswerNow(exchange, StatusOf(admitted).status, ResultName(admitted), closes);
    return 0;
  }
  const uint32_t index = services_->exchanges.IndexOf(*exchange);
  services_->slots[exchange->ticket.slot] = {exchange->ticket, index, routed.route};
  exchange->prefers_html = PrefersHtml(head.accept);
  if (!writes) {
    exchange->conditional = head.if_none_match.kind != http1::EntityTag::Kind::kNone;
    exchange->unless_any = head.if_none_match.kind == http1::EntityTag::Kind::kAny;
    exchange->unless_revision = http1::TagRevision(head.if_none_match);
  }
  const Bytes prefix = writes ? rest.substr(0, size) : routed.arguments;
  if (!prefix.empty()) runtime.CopyPrefix(exchange->ticket, prefix);
  if (prefix.size() == size) {
    exchange->state = Exchange::State::kWaiting;
    PURE_CHECK(runtime.Ready(exchange->ticket), "a new request is not ready");
    return writes ? size : 0;
  }
  exchange->state = Exchange::State::kReceiving;
  exchange->continue_due = head.expect_continue && prefix.empty();
  incoming_ = index;
  body_bytes_ = prefix.size();
  body_rate_.Start(services_->now_ns, services_->options.timeout_ns);
  return prefix.size();
}

void Connection::StartPage(const http1::Head& head, Exchange* exchange) {
  Page page;
  if (!services_->pages->Render(head.path, &page)) {
    return AnswerNow(exchange, 404, "not_found", false);
  }
  exchange->content_type = page.content_type;
  auto* body = new std::string(std::move(page.body));
  exchange->own_body = Resource(
      *body, [](void* lender, void*) { delete static_cast<std::string*>(lender); }, body, nullptr);
  exchange->body = &exchange->own_body;
  AnswerNow(exchange, page.status, page.error, false);
}

void Connection::BodyArrived(size_t bytes) {
  Exchange& exchange = services_->exchanges[incoming_];
  exchange.continue_due = false;
  body_bytes_ += bytes;
  if (body_bytes_ < services_->runtime->Ingress(exchange.ticket).size()) return;
  exchange.state = Exchange::State::kWaiting;
  incoming_ = kNoExchange;
  PURE_CHECK(services_->runtime->Ready(exchange.ticket), "a received request is not ready");
}

// A new exchange behind the others. Null: none is free (never where CanParse said yes).
Exchange* Connection::Append() {
  const uint32_t index = services_->exchanges.Take();
  if (index == kNoExchange) return nullptr;
  Exchange& exchange = services_->exchanges[index];
  exchange.connection = this;
  if (last_ == kNoExchange) {
    first_ = index;
  } else {
    services_->exchanges[last_].next = index;
  }
  last_ = index;
  if (++count_ == 1) ++services_->busy;
  return &exchange;
}

// Takes the last exchange back: its request never became complete.
void Connection::DropLast() {
  uint32_t before = kNoExchange;
  for (uint32_t i = first_; i != last_; i = services_->exchanges[i].next) before = i;
  ReleaseTicket(&services_->exchanges[last_]);
  services_->exchanges.Give(last_);
  last_ = before;
  if (before == kNoExchange) {
    first_ = kNoExchange;
  } else {
    services_->exchanges[before].next = kNoExchange;
  }
  CountLess();
}

}  // namespace pure::transport
