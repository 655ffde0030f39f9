#pragma once

// Server: the threads of `pure serve`: one shard each with its own transport, runtime, executor and
// store handle. It shares the store, the module and who may between them.
//
// Thread: Start, Stop, Join from the thread that made it; AskStop any thread.
// Lifetime: owns its threads and shards; borrows the parts.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executor/owner.h"
#include "modules/module.h"
#include "platforms/linux/parker.h"
#include "platforms/server/own_pages.h"
#include "platforms/server/serve_options.h"
#include "platforms/server/server_statistics.h"
#include "runtime/port.h"
#include "store/store.h"
#include "transport/access.h"
#include "transport/fault_answers.h"
#include "transport/router.h"
#include "transport/shard.h"
#include "transport/transport.h"

namespace pure::server {

class Server {
 public:
  struct Parts {
    Clock* clock;
    Memory* memory;
    const modules::Module* module;
    store::Store* store;
    modules::States* states = nullptr;  // of the module; null for one without
    Entropy* entropy = nullptr;
    const transport::Access* access;
    // Listens already, and shares its queue of clients with every thread; null: each opens its own.
    const transport::Transport* listening = nullptr;
  };
  Server(const Parts& parts, const ServeOptions& options);
  ~Server();

  // The address of the options as one queue, for the `listening` of servers that follow each other.
  static absl::StatusOr<std::unique_ptr<transport::Transport>> Listen(const ServeOptions& options);

  // Binds every listener, then starts the threads. The error says what failed.
  absl::Status Start();

  // The port that was bound; 0 for a unix socket.
  uint16_t port() const { return port_; }
  Bytes transport_name() const { return transports_.front()->name(); }
  const ServerStatistics& statistics() const { return *statistics_; }

  // Whether one thread runs the app for all others.
  bool has_owner() const { return owner_ != nullptr; }

  // Begins to stop on every thread.
  void Stop();
  // The same for a server that another one follows on the same listener: no request is refused.
  void Retire();
  // True when every thread has ended.
  bool Ended() const { return running_.load(std::memory_order_acquire) == 0; }
  // Waits for the threads.
  void Join();

 private:
  absl::Status MakeTransports();
  absl::Status MakeOwner();
  absl::Status MakeShards();

  const Parts parts_;
  const ServeOptions options_;
  transport::Router router_;
  transport::FaultAnswers faults_;
  std::unique_ptr<ServerStatistics> statistics_;
  std::unique_ptr<OwnPages> pages_;
  std::vector<std::unique_ptr<transport::Transport>> transports_;
  std::vector<std::unique_ptr<store::StoreHandle>> handles_;
  std::vector<std::unique_ptr<transport::Shard>> shards_;
  // Of a module with states that several shards serve.
  std::unique_ptr<EventParker> parker_;
  std::unique_ptr<store::StoreHandle> owner_handle_;
  std::unique_ptr<executor::Owner> owner_;
  std::thread owner_thread_;
  std::vector<std::thread> threads_;
  std::atomic<uint32_t> running_{0};
  uint16_t port_ = 0;
};

}  // namespace pure::server
