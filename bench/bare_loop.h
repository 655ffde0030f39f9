#pragma once

// BareLoop: what no HTTP server can be faster than: one thread that finds the ends of requests and
// answers each with the same bytes, over epoll. It looks at nothing but the method, the head's end
// and Content-Length. Bodies can be logged: all that one wake-up brought goes into a preallocated
// file with one write and one fdatasync before any of it is answered.
//
// It is a measure, not a server: no limits, no errors for clients, no deadlines; the log is written
// from its start again when it is full. It listens on 127.0.0.1 only.
//
// Thread: one thread's. Cost: nothing is allocated per request once a connection is warm.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace pure::bench {

struct BareOptions {
  uint16_t port = 0;         // 0: the kernel chooses
  size_t body_bytes = 1500;  // of the answer to a GET; other methods are answered without a body
  std::string log;           // file for the bodies of requests; empty: they are dropped
  size_t log_bytes = 64u << 20;  // preallocated
};

class BareLoop {
 public:
  BareLoop();
  ~BareLoop();
  BareLoop(const BareLoop&) = delete;
  BareLoop& operator=(const BareLoop&) = delete;

  // Listens, and writes the log full of zeros. Once.
  absl::Status Open(const BareOptions& options);
  uint16_t port() const { return port_; }

  // Waits for `timeout_ms` at most (-1: for ever) and answers what came.
  void Turn(int timeout_ms);

  uint64_t saves() const { return saves_; }  // fdatasync calls

 private:
  enum class Kind : uint8_t { kPage, kDone };  // of answers
  struct Run;
  struct Client;

  absl::Status Listen();
  absl::Status OpenLog();
  void Accept();
  void Receive(int descriptor);
  size_t Parse(Client* client, absl::string_view bytes);
  void Owe(Client* client, Kind kind);
  void Save();
  void SendOwed(int descriptor);
  void Drop(int descriptor);

  BareOptions options_;
  int epoll_ = -1;
  int listener_ = -1;
  int log_ = -1;
  uint16_t port_ = 0;
  size_t log_offset_ = 0;
  uint64_t saves_ = 0;
  std::string batch_;                             // bodies that are not saved
  std::string answers_[2];                        // by kind: the same answer many times over
  size_t answer_bytes_[2] = {};                   // of one
  std::vector<std::unique_ptr<Client>> clients_;  // by descriptor
  std::vector<int> owing_;  // descriptors of clients that something is owed, once each
};

}  // namespace pure::bench
