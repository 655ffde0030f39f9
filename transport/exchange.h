#pragma once

// Exchange: one request of a connection, from its head to the last byte of its answer. A connection
// keeps them in the order of its requests, and answers in that order whatever the order in which
// they are done.
//
// Thread: its shard's. Cost: taken from a pool that is sized at start.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "runtime/bytes.h"
#include "runtime/resource.h"
#include "runtime/ticket.h"
#include "runtime/transfer.h"

namespace pure::transport {

class Connection;

struct Exchange {
  enum class State : uint8_t {
    kReceiving,  // its body is on the way
    kWaiting,    // the executor has it
    kAnswered,   // the answer below is complete
  };
  State state = State::kWaiting;
  bool head_only = false;        // HEAD: the body is left out
  bool closes = false;           // nothing follows its answer on this connection
  bool continue_due = false;     // 100 Continue before the body is read
  bool conditional = false;      // GET with If-None-Match
  bool prefers_html = false;     // where its answer has a body of ours
  bool unless_any = false;       // of the form `*`
  uint64_t unless_revision = 0;  // the revision it names; 0: none that exists

  Connection* connection = nullptr;
  uint32_t next = 0;  // the request after it, or kNoExchange
  Ticket ticket;      // none: answered without the app

  uint16_t status = 0;
  bool retry_after = false;
  bool challenge = false;
  uint64_t revision = 0;
  Bytes error;
  Bytes content_type;
  Bytes allow;
  Bytes extra;
  std::string own_extra;           // what `extra` may point to; keeps its memory
  bool revalidates = false;        // the answer may be kept, and asked for again
  const Resource* body = nullptr;  // the ticket's outcome, or own_body, or none
  Resource own_body;

  Transfer transfer;
};

inline constexpr uint32_t kNoExchange = UINT32_MAX;

// All exchanges of a shard.
class ExchangePool {
 public:
  explicit ExchangePool(uint32_t count);

  Exchange& operator[](uint32_t index) { return exchanges_[index]; }
  uint32_t IndexOf(const Exchange& exchange) const {
    return static_cast<uint32_t>(&exchange - exchanges_.get());
  }
  uint32_t free_count() const { return free_count_; }

  // A new exchange, or kNoExchange.
  uint32_t Take();
  // REQUIRES: no transfer is active in it.
  void Give(uint32_t index);

 private:
  std::unique_ptr<Exchange[]> exchanges_;
  uint32_t free_ = kNoExchange;
  uint32_t free_count_;
  uint32_t used_ =
      0;  // below it, each has been taken once: the rest of the memory is not touched yet
  uint32_t count_;
};

}  // namespace pure::transport
