#include "bench/load/process_cpu.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace pure::bench {
namespace {

// A small file of /proc, which gives its content in one read.
std::optional<std::string> ReadProc(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  char buffer[4096];
  const ssize_t count = read(descriptor, buffer, sizeof(buffer));
  close(descriptor);
  if (count < 0) return std::nullopt;
  return std::string(buffer, static_cast<size_t>(count));
}

// "RUN_NS WAIT_NS SLICES" of each thread.
std::optional<int64_t> SchedulerNs(int process_id) {
  const std::string folder = absl::StrCat("/proc/", process_id, "/task");
  DIR* const tasks = opendir(folder.c_str());
  if (tasks == nullptr) return std::nullopt;
  int64_t sum_ns = 0;
  bool any = false;
  while (const dirent* const task = readdir(tasks)) {
    if (task->d_name[0] == '.') continue;
    const std::optional<std::string> text =
        ReadProc(absl::StrCat(folder, "/", task->d_name, "/schedstat"));
    if (!text.has_value()) continue;  // it ended just now
    int64_t run_ns = 0;
    if (!absl::SimpleAtoi(text->substr(0, text->find(' ')), &run_ns)) continue;
    sum_ns += run_ns;
    any = true;
  }
  closedir(tasks);
  return any ? std::optional<int64_t>(sum_ns) : std::nullopt;
}

// Fields 14 and 15 of proc(5)'s stat; the second field is a name in parentheses, which may hold
// anything.
std::optional<int64_t> StatNs(int process_id) {
  const std::optional<std::string> text = ReadProc(absl::StrCat("/proc/", process_id, "/stat"));
  if (!text.has_value()) return std::nullopt;
  const size_t name_end = text->rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  const std::vector<std::string> fields = absl::StrSplit(text->substr(name_end + 1), ' ');
  constexpr size_t kUserTime = 12;  // counted from behind the name
  int64_t user = 0, system = 0;
  if (fields.size() <= kUserTime + 1 || !absl::SimpleAtoi(fields[kUserTime], &user) ||
      !absl::SimpleAtoi(fields[kUserTime + 1], &system)) {
    return std::nullopt;
  }
  return (user + system) * (1'000'000'000 / sysconf(_SC_CLK_TCK));
}

}  // namespace

absl::StatusOr<int64_t> ProcessCpuNs(absl::Span<const int> process_ids) {
  int64_t sum_ns = 0;
  for (const int process_id : process_ids) {
    std::optional<int64_t> ns = SchedulerNs(process_id);
    if (!ns.has_value()) ns = StatNs(process_id);
    if (!ns.has_value())
      return absl::NotFoundError(absl::StrCat("there is no process ", process_id));
    sum_ns += *ns;
  }
  return sum_ns;
}

int64_t OwnCpuNs() {
  rusage usage{};
  (void)getrusage(RUSAGE_SELF, &usage);  // fails for wrong arguments only
  const auto ns = [](const timeval& time) {
    return time.tv_sec * int64_t{1'000'000'000} + time.tv_usec * 1000;
  };
  return ns(usage.ru_utime) + ns(usage.ru_stime);
}

}  // namespace pure::bench
