#pragma once

// Client: one connection to a server on loopback, one thread that waits for answers.
//
// Thread: one.

#include <cstdint>
#include <string>

#include "bench/load/answer_reader.h"
#include "runtime/bytes.h"

namespace pure::histories {

class Client {
 public:
  Client() = default;
  ~Client() { Close(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool Connect(uint16_t port);
  void Close();
  bool connected() const { return descriptor_ >= 0; }

  // False: the connection ended; it is closed then.
  bool Send(Bytes requests);
  bool Receive(bench::Answer* answer);

 private:
  int descriptor_ = -1;
  bench::AnswerReader reader_;
  std::string received_;
  size_t taken_ = 0;  // of it
};

}  // namespace pure::histories
