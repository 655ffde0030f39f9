#pragma once

// ServerStatistics: what all threads of a server count, as one JSON line (when it ends, and live at
// /-/stats) and as Prometheus text (/-/metrics).
//
// Thread: any. Lifetime: borrows shards and store.

#include <cstdint>
#include <string>
#include <vector>

#include "executor/owner.h"
#include "runtime/port.h"
#include "store/store.h"
#include "transport/statistics.h"

namespace pure::server {

class ServerStatistics {
 public:
  ServerStatistics(Clock* clock, const store::Store* store, std::string transport)
      : clock_(clock),
        store_(store),
        transport_(std::move(transport)),
        begun_ns_(clock->MonotonicNs()) {}

  // Before any thread reads.
  void Add(const transport::Statistics* shard) { shards_.push_back(shard); }

  // Runs the app for all shards; null: each shard runs it.
  void SetOwner(const executor::Owner* owner) { owner_ = owner; }

  // {"active":0,...}, the fields in the order of the contract, without a line end.
  std::string Json() const;
  // Text format 0.0.4.
  std::string Metrics() const;

 private:
  uint64_t Sum(transport::Count count) const;
  executor::ExecutorCounters Executed() const;
  int64_t UptimeMs() const;

  Clock* const clock_;
  const store::Store* const store_;
  const std::string transport_;
  const int64_t begun_ns_;
  std::vector<const transport::Statistics*> shards_;
  const executor::Owner* owner_ = nullptr;
};

}  // namespace pure::server
