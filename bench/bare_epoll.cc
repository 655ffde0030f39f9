// bare_epoll: the floor that servers are measured against (bare_loop.h). It prints one line of JSON
// with its port, and runs until it is ended.
//
//   bare_epoll --port=0 --bytes=1500 [--log=FILE]

#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/status/status.h"
#include "bench/bare_loop.h"

ABSL_FLAG(uint16_t, port, 0, "TCP port on 127.0.0.1; 0: the kernel chooses");
ABSL_FLAG(uint64_t, bytes, 1500, "size of the body that a GET is answered with");
ABSL_FLAG(std::string, log, "", "file that bodies of requests are saved in before the answer");

int main(int count, char** arguments) {
  absl::SetProgramUsageMessage("answers every request on 127.0.0.1 with the same bytes");
  absl::ParseCommandLine(count, arguments);
  pure::bench::BareLoop loop;
  const absl::Status opened = loop.Open({.port = absl::GetFlag(FLAGS_port),
                                         .body_bytes = absl::GetFlag(FLAGS_bytes),
                                         .log = absl::GetFlag(FLAGS_log)});
  if (!opened.ok()) {
    std::fprintf(stderr, "bare_epoll: %s\n", std::string(opened.message()).c_str());
    return 1;
  }
  std::printf("{\"port\":%d}\n", loop.port());
  std::fflush(stdout);
  for (;;) loop.Turn(-1);
}
