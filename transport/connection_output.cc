#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/check.h"
#include "transport/answers.h"
#include "transport/connection.h"

// The answering half of a connection: answers are written out in the order of the requests, all
// that are ready with one send.

namespace pure::transport {

void Connection::AnswerNow(Exchange* exchange, uint16_t status, Bytes error, bool closes) {
  exchange->state = Exchange::State::kAnswered;
  exchange->continue_due = false;
  exchange->status = status;
  exchange->error = error;
  exchange->closes |= closes;
  last_request_ |= exchange->closes;
}

void Connection::OnApplied(uint32_t index, executor::Applied* applied) {
  Exchange& exchange = services_->exchanges[index];
  Outcome outcome;
  PURE_CHECK(services_->runtime->OutcomeOf(exchange.ticket, &outcome), "an outcome is missing");
  services_->runtime->DropIngress(exchange.ticket);
  AnswerResult(&exchange, *applied, outcome);
}

void Connection::AnswerResult(Exchange* exchange, const executor::Applied& applied,
                              const Outcome& outcome) {
  StatusLine line = StatusOf(outcome.result);
  exchange->retry_after = line.retry_after;
  exchange->revision = outcome.revision;
  exchange->revalidates = applied.route.is_handler && outcome.revision > 0;
  if (applied.commit > 0) {
    absl::StrAppend(&exchange->own_extra, "X-Pure-Commit: ", applied.commit, "\r\n");
  }
  if (outcome.result == Result::kOk) {
    exchange->body = outcome.body;
    exchange->content_type = applied.content_type;
    if (applied.location.size_bytes() > 0) {
      line.status = 303;
      exchange->own_extra.append("Location: ");
      for (const Bytes span : applied.location.spans()) exchange->own_extra.append(span);
      exchange->own_extra.append("\r\n");
    }
    const bool same = exchange->unless_any || exchange->unless_revision == outcome.revision;
    if (exchange->conditional && same) line.status = 304;
  } else if (outcome.result == Result::kFault) {
    const FaultAnswers::Fault& fault = services_->faults->Of(applied.detail);
    line.status = fault.status;
    exchange->own_extra.append(fault.field);
    TellWhy(fault.body, exchange);
  } else if (outcome.result == Result::kType) {
    TellWhy(services_->faults->TypeBody(applied.route, applied.detail), exchange);
  } else if (applied.route.is_handler) {
    TellWhy(services_->faults->ErrorBody(outcome.result), exchange);
  }
  exchange->extra = exchange->own_extra;
  if (exchange->own_body.size_bytes() > 0) {
    exchange->body = &exchange->own_body;
    exchange->content_type = exchange->prefers_html ? kHtmlType : kJsonType;
  }
  AnswerNow(exchange, line.status, ResultName(outcome.result),
            outcome.result == Result::kUncertain);
}

void Connection::TellWhy(const FaultAnswers::Body& body, Exchange* exchange) {
  exchange->own_body = Resource(body.Of(exchange->prefers_html), nullptr, nullptr, nullptr);
}

// Sends the answers that are ready, unless a send is on its way.
void Connection::Flush() {
  if (sending_ || first_ == kNoExchange) return;
  if (services_->exchanges[first_].state == Exchange::State::kAnswered) {
    send_rate_.Start(services_->now_ns, services_->options.timeout_ns);
    batch_bytes_ = 0;
    RenderBatch();
    if (batch_ == 0) return Abort(true);
    SendBatch();
  } else if (services_->exchanges[first_].continue_due) {
    services_->exchanges[first_].continue_due = false;
    send_rate_.Start(services_->now_ns, services_->options.timeout_ns);
    continue_sent_ = 0;
    SendContinue();
  }
}

// Writes out answers from the first on, as long as they are ready and there is room.
void Connection::RenderBatch() {
  if (out_ == nullptr) out_ = services_->out_blocks.Take();
  if (out_ == nullptr) return;
  out_end_ = 0;
  for (uint32_t i = first_; i != kNoExchange; i = services_->exchanges[i].next) {
    Exchange& exchange = services_->exchanges[i];
    if (exchange.state != Exchange::State::kAnswered || !Render(&exchange)) return;
    ++batch_;
    if (exchange.closes) return;
  }
}

// False: there is no room for its head.
bool Connection::Render(Exchange* exchange) {
  const bool bodiless = exchange->head_only || exchange->status == 304 || exchange->status == 204;
  const size_t size = exchange->body == nullptr ? 0 : exchange->body->size_bytes();
  const size_t copied = !bodiless && size <= services_->options.copy_bytes_max ? size : 0;
  const size_t room = http1::kAnswerHeadBytesMax + exchange->content_type.size() +
                      exchange->allow.size() + exchange->extra.size() + copied;
  const size_t block = services_->out_blocks.block_bytes();
  if (out_end_ + room > block) return false;
  const bool last = services_->exchanges.IndexOf(*exchange) == last_ && in_begin_ == in_end_;
  if (services_->stop_ns != 0 && last && incoming_ == kNoExchange) {
    exchange->closes = last_request_ = true;
  }
  http1::AnswerHead head;
  head.status = exchange->status;
  head.error = exchange->error;
  head.content_length = size;
  head.revision = exchange->revision;
  if (exchange->status != 304) head.content_type = exchange->content_type;
  head.allow = exchange->allow;
  head.revalidates = exchange->revalidates;
  head.extra = exchange->extra;
  head.retry_after = exchange->retry_after;
  head.challenge = exchange->challenge;
  head.close = exchange->closes;
  char* const begin = out_ + out_end_;
  size_t written = WriteHead(head, Bytes(services_->date, http1::kDateBytes),
                             MutableBytes(begin, block - out_end_));
  absl::Span<const Bytes> body;
  if (copied > 0) {
    for (const Bytes span : exchange->body->spans()) {
      std::memcpy(begin + written, span.data(), span.size());
      written += span.size();
    }
  } else if (!bodiless && size > 0) {
    body = exchange->body->spans();
  }
  out_end_ += written;
  exchange->transfer.Start(Bytes(begin, written), body, &Connection::AnswerSent, exchange);
  return true;
}

// One send for what is left of the batch. Answers that lie side by side go out as one span.
void Connection::SendBatch() {
  const absl::Span<Bytes> spans = absl::MakeSpan(services_->send_list);
  size_t count = 0;
  uint32_t index = first_;
  for (uint32_t i = 0; i < batch_ && count < spans.size(); ++i) {
    const Exchange& exchange = services_->exchanges[index];
    const size_t begin = count;
    count += exchange.transfer.Next(spans.subspan(count));
    if (begin > 0 && spans[begin - 1].data() + spans[begin - 1].size() == spans[begin].data()) {
      spans[begin - 1] =
          Bytes(spans[begin - 1].data(), spans[begin - 1].size() + spans[begin].size());
      std::copy(spans.begin() + begin + 1, spans.begin() + count, spans.begin() + begin);
      --count;
    }
    index = exchange.next;
  }
  sending_ = true;
  services_->transport->Send(id_, spans.first(count));
}

void Connection::SendContinue() {
  sending_ = sending_continue_ = true;
  const Bytes rest = http1::ContinueHead().substr(continue_sent_);
  services_->transport->Send(id_, absl::MakeConstSpan(&rest, 1));
}

void Connection::OnSent(const Completion& completion) {
  sending_ = false;
  const bool was_continue = std::exchange(sending_continue_, false);
  if (phase_ == Phase::kClosing) return FinishIfQuiet();
  if (completion.status != Status::kOk) return Abort(true);
  sent_bytes_ += completion.bytes;
  if (was_continue) {
    continue_sent_ += completion.bytes;
    if (continue_sent_ < http1::ContinueHead().size()) SendContinue();
  } else {
    ConsumeSent(completion.bytes);
  }
  Advance();
}

void Connection::ConsumeSent(size_t bytes) {
  batch_bytes_ += bytes;
  while (bytes > 0) {
    Exchange& exchange = services_->exchanges[first_];
    const size_t part = std::min(bytes, exchange.transfer.remaining_bytes());
    bytes -= part;
    exchange.transfer.Consume(part);
  }
  if (batch_ > 0) return SendBatch();
  if (phase_ != Phase::kOpen) return;
  FitPipeline();
  const bool more =
      first_ != kNoExchange && services_->exchanges[first_].state == Exchange::State::kAnswered;
  if (!more && out_ != nullptr) services_->out_blocks.Give(std::exchange(out_, nullptr));
  if (count_ == 0) idle_since_ns_ = services_->now_ns;
}

// How many requests are taken at once follows the size of the answers: a client that asks for large
// things holds the budget for one of them at a time.
void Connection::FitPipeline() {
  constexpr size_t kSmallBytes = 128u << 10;
  pipeline_ =
      batch_bytes_ > kSmallBytes ? 1 : std::min(2 * pipeline_, services_->options.pipeline_max);
}

// The last byte of an answer went out: it is always the first one's.
void Connection::AnswerSent(void* owner) {
  auto* const exchange = static_cast<Exchange*>(owner);
  Connection* const connection = exchange->connection;
  const bool closes = exchange->closes;
  --connection->batch_;
  connection->DropFirst();
  if (closes && connection->phase_ == Phase::kOpen) connection->BeginDrain();
}

void Connection::DropFirst() {
  Exchange& exchange = services_->exchanges[first_];
  const uint32_t index = first_;
  first_ = exchange.next;
  if (first_ == kNoExchange) last_ = kNoExchange;
  CountLess();
  ReleaseTicket(&exchange);
  services_->exchanges.Give(index);
}

void Connection::CountLess() {
  if (--count_ == 0) --services_->busy;
}

void Connection::ReleaseTicket(Exchange* exchange) {
  if (!exchange->ticket) return;
  services_->slots[exchange->ticket.slot].ticket = {};
  (void)services_->runtime->Release(std::exchange(exchange->ticket, {}));
}

}  // namespace pure::transport
