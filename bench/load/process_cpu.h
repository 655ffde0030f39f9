#pragma once

// The processor time that processes have used, as the kernel's scheduler accounts it.

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace pure::bench {

// Nanoseconds of all threads that live in the processes (/proc/PID/task/*/schedstat); where the
// kernel keeps no such statistics, utime + stime of /proc/PID/stat, which count in steps of 10 ms.
// NotFound: there is no such process. Take the difference of two calls; a thread that ended between
// them takes its time with it.
absl::StatusOr<int64_t> ProcessCpuNs(absl::Span<const int> process_ids);

// The same of this process, of all threads that it ever had.
int64_t OwnCpuNs();

}  // namespace pure::bench
