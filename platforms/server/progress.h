#pragma once

// Progress: one line on a terminal that says how far long work has come:
//
//   verify  42 %  1.2 GiB of 2.9 GiB  310.4 MiB/s  5 s left
//
// It is shown once the work has lasted a second, drawn anew 10 times a second at most, and taken
// away at the end.
//
// Thread: one thread's. Lifetime: borrows the clock. Cost of an update: a look at the clock.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "runtime/bytes.h"
#include "runtime/port.h"

namespace pure::server {

// Shows text on a terminal that knows ANSI control sequences; null: there is none.
using Terminal = std::function<void(Bytes text)>;

class Progress final {
 public:
  // `what`: the work, in a word or two.
  Progress(Clock* clock, Terminal terminal, std::string what)
      : clock_(clock),
        terminal_(std::move(terminal)),
        what_(std::move(what)),
        begun_ns_(clock->MonotonicNs()),
        drawn_ns_(begun_ns_) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void Update(uint64_t done_bytes, uint64_t all_bytes);

 private:
  std::string Line(uint64_t done_bytes, uint64_t all_bytes, int64_t elapsed_ns) const;

  Clock* const clock_;
  const Terminal terminal_;
  const std::string what_;
  const int64_t begun_ns_;
  int64_t drawn_ns_;
  bool shown_ = false;
};

}  // namespace pure::server
