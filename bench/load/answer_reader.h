#pragma once

// AnswerReader: finds the answers in what one HTTP/1.1 connection receives, in any pieces. It knows
// answers framed by Content-Length, and those without a body (1xx, 204, 304); 1xx answers are left
// out.
//
// Thread: one. Cost: an answer that arrives whole is read in place; else its head is copied.

#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/bytes.h"

namespace pure::bench {

// One answer.
struct Answer {
  static constexpr size_t kBodyStartBytes = 96;

  int status = 0;
  uint64_t body_bytes = 0;
  uint64_t revision = 0;             // of an ETag that is a number; 0: none
  bool closes = false;               // with Connection: close
  char body_start[kBodyStartBytes];  // the body's first bytes
  size_t body_start_bytes = 0;
  Bytes BodyStart() const { return Bytes(body_start, body_start_bytes); }
};

class AnswerReader {
 public:
  enum class Step : uint8_t {
    kMore,    // all bytes were taken; no answer is complete
    kAnswer,  // an answer is complete; the bytes behind it were not taken
    kBad,     // not an answer that can be framed; the connection is of no more use
  };
  static constexpr size_t kHeadBytesMax = 16384;

  // Takes bytes from the front of *bytes.
  Step Read(Bytes* bytes);
  // After kAnswer, until the next Read.
  const Answer& answer() const { return answer_; }
  // True when part of an answer was read.
  bool within() const { return in_body_ || !head_.empty(); }

 private:
  Step ReadHead(Bytes* bytes);
  bool ParseHead(Bytes head);
  bool ParseField(Bytes line);
  Step ReadBody(Bytes* bytes);

  std::string head_;  // of a head that is not complete
  bool in_body_ = false;
  uint64_t body_missing_ = 0;
  bool has_length_ = false;
  Answer answer_;
};

}  // namespace pure::bench
