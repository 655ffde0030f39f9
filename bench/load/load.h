#pragma once

// Load: a closed loop of HTTP/1.1 clients in one thread: each connection keeps `depth` requests on
// their way and sends the next when an answer has come. It drives any server on loopback; with
// documents it writes on the condition of the revision that it saw last.
//
// It always ends: no request is sent after `seconds` or `requests`, and answers are waited for
// kAnswerWaitNs more.
//
// Thread: one. Lifetime: owns its connections. Cost: nothing is allocated per request once buffers
// have grown.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bench/load/answer_reader.h"
#include "bench/load/load_options.h"
#include "bench/load/request_source.h"
#include "bench/load/sockets.h"
#include "runtime/bytes.h"

namespace pure::bench {

class Load {
 public:
  static constexpr int64_t kAnswerWaitNs = 5'000'000'000;

  // REQUIRES: CheckLoadOptions says ok.
  explicit Load(const LoadOptions& options);
  ~Load();
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  // Prepares, if asked to, then loads. InvalidArgument: the address is not loopback. Unavailable:
  // nobody listens there, an answer could not be understood, or the preparation was refused.
  absl::StatusOr<LoadReport> Run();

 private:
  struct Connection {
    Descriptor socket;
    bool connected = false;
    bool wants_write = false;  // as epoll knows it
    std::string out;           // requests not yet sent from out_sent on
    size_t out_sent = 0;
    std::vector<Request> on_way;  // a ring of `depth`
    uint32_t oldest = 0;
    uint32_t on_way_count = 0;
    uint32_t prepared = 0;  // keys that the preparation has asked for
    AnswerReader reader;
  };

  absl::Status RunPhase(bool preparing, int64_t seconds_ns);
  absl::Status Turn(int64_t until_ns);
  absl::Status Open(uint32_t number);
  absl::Status Reopen(uint32_t number);
  void CloseAll();
  absl::Status Handle(uint32_t number, uint32_t events);
  absl::Status Receive(uint32_t number, bool* ended);
  absl::Status TakeAnswers(Connection* connection, Bytes bytes, bool* closes);
  void Count(const Request& request, const Answer& answer, int64_t now_ns);
  // Adds requests up to the depth, and sends. False: the connection broke.
  bool Refill(uint32_t number);
  bool AddRequest(uint32_t number);
  bool Flush(uint32_t number);
  bool MaySend(int64_t now_ns) const;

  const LoadOptions options_;
  RequestSource source_;
  LoopbackAddress address_;
  Descriptor epoll_;
  std::vector<Connection> connections_;
  std::string received_;  // what one recv may take
  LoadReport report_;
  bool preparing_ = false;
  int64_t send_until_ns_ = 0;
  uint64_t sent_ = 0;    // in this phase
  uint64_t on_way_ = 0;  // in all connections
  uint64_t reopened_ = 0;
  int64_t last_answer_ns_ = 0;
};

}  // namespace pure::bench
