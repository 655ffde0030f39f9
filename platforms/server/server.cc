#include "platforms/server/server.h"

#include <utility>

#include "absl/status/status.h"
#include "transport/factory.h"

namespace pure::server {
namespace {

transport::ShardOptions ShardOptionsOf(const ServeOptions& options) {
  transport::ShardOptions shard;
  shard.connections = options.connections;
  shard.budget_bytes = options.budget_bytes;
  shard.stop_ns = int64_t{options.drain_ms} * 1'000'000;
  shard.connection.header_bytes_max = options.header_limit_bytes;
  shard.connection.timeout_ns = int64_t{options.timeout_ms} * 1'000'000;
  return shard;
}

}  // namespace

Server::Server(const Parts& parts, const ServeOptions& options)
    : parts_(parts),
      options_(options),
      router_(parts.module, parts.access,
              {.loopback = options.loopback, .object_bytes_max = options.object_limit_bytes}),
      faults_(*parts.module) {}

Server::~Server() { Join(); }

absl::Status Server::Start() {
  if (absl::Status status = MakeTransports(); !status.ok()) return status;
  if (absl::Status status = MakeOwner(); !status.ok()) return status;
  if (absl::Status status = MakeShards(); !status.ok()) return status;
  if (owner_ != nullptr) owner_thread_ = std::thread([this] { owner_->Run(); });
  running_.store(options_.threads, std::memory_order_release);
  for (const std::unique_ptr<transport::Shard>& shard : shards_) {
    threads_.emplace_back([this, &shard] {
      shard->Run();
      running_.fetch_sub(1, std::memory_order_acq_rel);
    });
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<transport::Transport>> Server::Listen(const ServeOptions& options) {
  std::string why_not;
  std::unique_ptr<transport::Transport> transport =
      transport::MakeTransport({.connections = 1}, &why_not);
  if (transport == nullptr) return absl::UnavailableError(why_not);
  uint16_t port = 0;
  absl::Status status = transport->Listen({.address = options.listen}, &port);
  if (!status.ok()) return status;
  return transport;
}

absl::Status Server::MakeTransports() {
  const bool local = options_.listen.family == transport::ListenAddress::Family::kUnix;
  for (uint32_t i = 0; i < options_.threads; ++i) {
    std::string why_not;
    std::unique_ptr<transport::Transport> transport =
        transport::MakeTransport({.connections = options_.connections}, &why_not);
    if (transport == nullptr) return absl::UnavailableError(why_not);
    transport::ListenOptions listen;
    listen.address = options_.listen;
    listen.share_port = options_.threads > 1;
    listen.exclusive_check = i == 0;
    listen.first = parts_.listening;
    if (i > 0) {
      if (local) listen.first = transports_.front().get();
      listen.address.port = port_;
    }
    if (absl::Status status = transport->Listen(listen, &port_); !status.ok()) return status;
    transports_.push_back(std::move(transport));
  }
  return absl::OkStatus();
}

// States have one owner; a single shard is it by itself.
absl::Status Server::MakeOwner() {
  if (parts_.module->sharded() || options_.threads == 1) return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<EventParker>> parker = EventParker::Create(parts_.clock);
  if (!parker.ok()) return parker.status();
  parker_ = *std::move(parker);
  owner_handle_ = parts_.store->NewHandle();
  if (owner_handle_ == nullptr) return absl::ResourceExhaustedError("no memory for a store handle");
  executor::Owner::Parts parts;
  parts.executor = {.module = parts_.module,
                    .store = owner_handle_.get(),
                    .states = parts_.states,
                    .clock = parts_.clock,
                    .entropy = parts_.entropy};
  parts.clock = parts_.clock;
  parts.parker = parker_.get();
  for (const std::unique_ptr<transport::Transport>& transport : transports_) {
    parts.shards.push_back(transport.get());
  }
  parts.jobs_max = transport::Shard::JobsMax(ShardOptionsOf(options_));
  owner_ = std::make_unique<executor::Owner>(parts);
  return absl::OkStatus();
}

absl::Status Server::MakeShards() {
  statistics_ =
      std::make_unique<ServerStatistics>(parts_.clock, parts_.store, std::string(transport_name()));
  pages_ = std::make_unique<OwnPages>(statistics_.get(), parts_.store);
  statistics_->SetOwner(owner_.get());
  for (const std::unique_ptr<transport::Transport>& transport : transports_) {
    handles_.push_back(parts_.store->NewHandle());
    if (handles_.back() == nullptr)
      return absl::ResourceExhaustedError("no memory for a store handle");
    shards_.push_back(
        std::make_unique<transport::Shard>(transport::Shard::Parts{.transport = transport.get(),
                                                                   .memory = parts_.memory,
                                                                   .clock = parts_.clock,
                                                                   .module = parts_.module,
                                                                   .store = handles_.back().get(),
                                                                   .states = parts_.states,
                                                                   .entropy = parts_.entropy,
                                                                   .owner = owner_.get(),
                                                                   .number = shards_.size(),
                                                                   .router = &router_,
                                                                   .pages = pages_.get(),
                                                                   .faults = &faults_},
                                           ShardOptionsOf(options_)));
    statistics_->Add(&shards_.back()->statistics());
  }
  return absl::OkStatus();
}

void Server::Stop() {
  pages_->SetStopping();
  for (const std::unique_ptr<transport::Shard>& shard : shards_) shard->Stop();
}

void Server::Retire() {
  for (const std::unique_ptr<transport::Shard>& shard : shards_) shard->Retire();
}

void Server::Join() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  // The shards wait for all that it has.
  if (owner_thread_.joinable()) {
    owner_->Stop();
    owner_thread_.join();
  }
}

}  // namespace pure::server
