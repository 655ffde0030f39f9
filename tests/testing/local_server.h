#pragma once

// LocalServer: one shard over a given store and the real epoll transport, driven by the test's own
// thread: nothing runs but while the test waits in it. LocalClient: a client of it on loopback.
//
// Thread: the test's. Lifetime: borrows the store; clients borrow the server.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "modules/module.h"
#include "platforms/linux/clock.h"
#include "runtime/bytes.h"
#include "store/store.h"
#include "tests/testing/counting_memory.h"
#include "transport/access.h"
#include "transport/fault_answers.h"
#include "transport/pages.h"
#include "transport/router.h"
#include "transport/shard.h"
#include "transport/transport.h"

namespace pure::testing {

class LocalServer {
 public:
  struct Options {
    transport::ShardOptions shard;
    std::string module;  // text; empty: a document of bytes up to 16 MiB with show, edit and append
  };
  LocalServer(store::Store* store, const Options& options);
  explicit LocalServer(store::Store* store) : LocalServer(store, Options()) {}
  ~LocalServer();

  // Turns the shard's loop once; waits for a millisecond at most.
  bool Turn();
  // Turns it until `done()`, for `limit_ms` at most. False: it never was.
  template <typename Done>
  bool TurnUntil(Done done, int64_t limit_ms = 10'000) {
    const int64_t end_ns = clock_.MonotonicNs() + limit_ms * 1'000'000;
    while (!done()) {
      if (clock_.MonotonicNs() >= end_ns) return false;
      if (!Turn()) return done();
    }
    return true;
  }
  // Asks the shard to stop; the test turns it.
  void BeginStop() { shard_->Stop(); }
  // Stops the shard and turns it to its end. False: it did not end.
  bool Stop();

  uint16_t port() const { return port_; }
  CountingMemory& memory() { return memory_; }
  uint64_t Count(transport::Count count) const { return shard_->statistics().Of(count); }

 private:
  class OpenAccess;
  class NoPages;

  std::unique_ptr<const modules::Module> module_;
  std::unique_ptr<transport::Access> access_;
  std::unique_ptr<transport::Pages> pages_;
  std::unique_ptr<transport::Router> router_;
  std::unique_ptr<transport::FaultAnswers> faults_;
  LinuxClock clock_;
  CountingMemory memory_;
  std::unique_ptr<transport::Transport> transport_;
  std::unique_ptr<store::StoreHandle> handle_;
  std::unique_ptr<transport::Shard> shard_;
  uint16_t port_ = 0;
};

struct Answer {
  int status = 0;    // 0: the connection ended without one
  std::string head;  // with its empty line
  std::string body;
  bool cut = false;                     // the connection ended within the body
  std::string Field(Bytes name) const;  // its value, or empty
  std::string error() const { return Field("X-Pure-Error"); }
};

class LocalClient {
 public:
  // `receive_buffer_bytes`: of the socket; 0 leaves the kernel's.
  explicit LocalClient(LocalServer* server, int receive_buffer_bytes = 0);
  ~LocalClient();
  LocalClient(const LocalClient&) = delete;
  LocalClient& operator=(const LocalClient&) = delete;

  // Sends all of it, turning the server while the kernel takes no more.
  void Send(Bytes bytes);
  // The next answer (1xx too), turning the server until it is there. HEAD and 304 have no body.
  Answer Receive(bool head_only = false);
  Answer Get(Bytes key);
  // `condition`: a whole field line with its line end.
  Answer Put(Bytes key, Bytes body, Bytes condition = "If-None-Match: *\r\n");
  // True when the server ends the connection, in order or by a reset, within ten seconds.
  bool Ended();
  void ShutdownSend();
  void Reset();
  int descriptor() const { return descriptor_; }

 private:
  bool Read();

  LocalServer* const server_;
  int descriptor_ = -1;
  bool ended_ = false;
  std::string received_;
};

}  // namespace pure::testing
