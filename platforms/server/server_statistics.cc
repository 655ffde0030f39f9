#include "platforms/server/server_statistics.h"

#include "absl/strings/str_cat.h"

namespace pure::server {

using transport::Count;

uint64_t ServerStatistics::Sum(Count count) const {
  uint64_t sum = 0;
  for (const transport::Statistics* shard : shards_) sum += shard->Of(count);
  return sum;
}

executor::ExecutorCounters ServerStatistics::Executed() const {
  if (owner_ != nullptr) return owner_->counters();
  return {.bursts = Sum(Count::kBursts), .burst_events = Sum(Count::kBurstEvents)};
}

int64_t ServerStatistics::UptimeMs() const {
  return (clock_->MonotonicNs() - begun_ns_) / 1'000'000;
}

std::string ServerStatistics::Json() const {
  const store::StoreCounters store = store_->counters();
  const executor::ExecutorCounters executed = Executed();
  return absl::StrCat(
      "{\"active\":", Sum(Count::kActive),
      ",\"retained_payload_bytes\":", Sum(Count::kRetainedBytes),
      ",\"accepted\":", Sum(Count::kAccepted), ",\"requests\":", Sum(Count::kRequests),
      ",\"bursts\":", executed.bursts, ",\"burst_events\":", executed.burst_events,
      ",\"expired\":", Sum(Count::kExpired), ",\"threads\":", shards_.size(),
      ",\"owner\":", owner_ != nullptr ? "true" : "false",
      ",\"commit_groups\":", store.commit_groups, ",\"grouped_commits\":", store.grouped_commits,
      ",\"transport\":\"", transport_, "\",\"uptime_ms\":", UptimeMs(),
      ",\"peak_retained_payload_bytes\":", Sum(Count::kRetainedBytesPeak),
      ",\"budget_rejections\":", Sum(Count::kBudgetRejections),
      ",\"borrowed_output_bytes\":", Sum(Count::kBorrowedOutputBytes),
      ",\"store_bytes\":", store.store_bytes, ",\"tickets\":", Sum(Count::kTickets),
      ",\"releases\":", Sum(Count::kReleases), "}");
}

std::string ServerStatistics::Metrics() const {
  std::string out;
  const auto metric = [&out](Bytes name, Bytes type, Bytes help, uint64_t value) {
    absl::StrAppend(&out, "# HELP pure_", name, " ", help, "\n# TYPE pure_", name, " ", type,
                    "\npure_", name, " ", value, "\n");
  };
  const store::StoreCounters store = store_->counters();
  const executor::ExecutorCounters executed = Executed();
  metric("connections", "gauge", "Open connections.", Sum(Count::kActive));
  metric("retained_payload_bytes", "gauge", "Payload bytes charged to the budget.",
         Sum(Count::kRetainedBytes));
  metric("connections_accepted_total", "counter", "Connections accepted.", Sum(Count::kAccepted));
  metric("requests_total", "counter", "Request heads read.", Sum(Count::kRequests));
  metric("bursts_total", "counter", "Bursts run.", executed.bursts);
  metric("burst_events_total", "counter", "Requests applied well in bursts.",
         executed.burst_events);
  metric("expired_total", "counter", "Deadlines of heads, bodies and sending that passed.",
         Sum(Count::kExpired));
  metric("budget_rejections_total", "counter", "Requests refused by the payload budget.",
         Sum(Count::kBudgetRejections));
  metric("borrowed_output_bytes_total", "counter", "Stored bytes lent to answers.",
         Sum(Count::kBorrowedOutputBytes));
  metric("saves_total", "counter", "Durable saves of the store.", store.commit_groups);
  metric("grouped_commits_total", "counter", "Commits that shared the save of another.",
         store.grouped_commits);
  metric("store_bytes", "gauge", "Bytes of the store on disk.", store.store_bytes);
  metric("store_keys", "gauge", "Documents present.", store.keys);
  metric("uptime_ms", "gauge", "Milliseconds since the start.", static_cast<uint64_t>(UptimeMs()));
  return out;
}

}  // namespace pure::server
