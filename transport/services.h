#pragma once

// Services: what the connections of one shard share. A plain gathering of parts that live in the
// shard; connections borrow it for their own life.
//
// Thread: its shard's.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "executor/job.h"
#include "runtime/bytes.h"
#include "runtime/runtime.h"
#include "transport/block_pool.h"
#include "transport/deadlines.h"
#include "transport/exchange.h"
#include "transport/fault_answers.h"
#include "transport/http1/answer.h"
#include "transport/idle_list.h"
#include "transport/pages.h"
#include "transport/router.h"
#include "transport/transport.h"

namespace pure::transport {

struct ConnectionOptions {
  size_t header_bytes_max = 4096;
  int64_t timeout_ns = 10'000'000'000;  // header deadline, idle time, and grace of body and sending
  int64_t drain_ns =
      500'000'000;  // reading on after a closing answer, so that the client can read it
  int64_t bytes_per_second_min = 1024;  // of a body and of sending, after the grace
  uint32_t pipeline_max = 32;           // requests of one connection at once, at most
  size_t copy_bytes_max =
      2048;  // shorter bodies are copied behind their head, longer ones sent from where they lie
};

struct ConnectionCounters {
  uint64_t accepted = 0;  // connections
  uint64_t requests = 0;  // heads read, also those refused
  uint64_t expired = 0;   // header, body and sending deadlines that passed
};

// What a work slot of the runtime belongs to.
struct SlotOwner {
  Ticket ticket;  // none: nobody waits for its outcome
  uint32_t exchange = kNoExchange;
  executor::Route route;
};

struct Services {
  Transport* transport;
  Runtime* runtime;
  const Router* router;
  const Pages* pages;
  const FaultAnswers* faults;
  ConnectionOptions options;

  BlockPool in_blocks;   // heads that came in pieces, and pipelined requests that wait
  BlockPool out_blocks;  // heads and short bodies on their way out
  ExchangePool exchanges;
  Deadlines deadlines;
  std::vector<SlotOwner> slots;  // by slot number

  IdleList idle;

  ConnectionCounters counters;
  const uint32_t connections_max;
  uint32_t open = 0;    // connections that are not free
  uint32_t busy = 0;    // of them with a request
  int64_t now_ns = 0;   // of this turn of the loop
  int64_t stop_ns = 0;  // when stopping began; 0: not stopping
  char date[http1::kDateBytes];
  std::array<Bytes, kSendSpansMax> send_list;  // of the send that is being made
};

}  // namespace pure::transport
