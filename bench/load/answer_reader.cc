#include "bench/load/answer_reader.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace pure::bench {
namespace {

constexpr Bytes kHeadEnd = "\r\n\r\n";

}  // namespace

AnswerReader::Step AnswerReader::Read(Bytes* bytes) {
  while (!in_body_) {
    const Step step = ReadHead(bytes);
    if (step != Step::kAnswer) return step;
    in_body_ = answer_.status >= 200;
  }
  return ReadBody(bytes);
}

// kAnswer: a whole head was read.
AnswerReader::Step AnswerReader::ReadHead(Bytes* bytes) {
  if (head_.empty()) {
    const size_t end = bytes->find(kHeadEnd);
    if (end != Bytes::npos) {
      const Bytes head = bytes->substr(0, end);
      bytes->remove_prefix(end + kHeadEnd.size());
      return ParseHead(head) ? Step::kAnswer : Step::kBad;
    }
  }
  // The end may be cut in two: look from a little before what is new.
  const size_t known = head_.size();
  head_.append(bytes->substr(0, kHeadBytesMax + kHeadEnd.size()));
  const size_t end = head_.find(kHeadEnd, known < 3 ? 0 : known - 3);
  if (end == std::string::npos) {
    if (head_.size() > kHeadBytesMax) return Step::kBad;
    bytes->remove_prefix(bytes->size());
    return Step::kMore;
  }
  bytes->remove_prefix(end + kHeadEnd.size() - known);
  const bool sound = ParseHead(Bytes(head_).substr(0, end));
  head_.clear();
  return sound ? Step::kAnswer : Step::kBad;
}

AnswerReader::Step AnswerReader::ReadBody(Bytes* bytes) {
  const size_t taken = static_cast<size_t>(std::min<uint64_t>(body_missing_, bytes->size()));
  const size_t kept = std::min(taken, Answer::kBodyStartBytes - answer_.body_start_bytes);
  if (kept > 0) std::memcpy(answer_.body_start + answer_.body_start_bytes, bytes->data(), kept);
  answer_.body_start_bytes += kept;
  body_missing_ -= taken;
  bytes->remove_prefix(taken);
  if (body_missing_ > 0) return Step::kMore;
  in_body_ = false;
  return Step::kAnswer;
}

// "HTTP/1.1 200 OK", then a field a line.
bool AnswerReader::ParseHead(Bytes head) {
  answer_.status = 0;
  answer_.body_bytes = 0;
  answer_.revision = 0;
  answer_.closes = false;
  answer_.body_start_bytes = 0;
  has_length_ = false;
  constexpr size_t kStatusAt = 9;
  if (head.size() < kStatusAt + 3 || head.substr(0, 7) != "HTTP/1." || head[8] != ' ') return false;
  int status = 0;
  for (const char c : head.substr(kStatusAt, 3)) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return false;
    status = status * 10 + (c - '0');
  }
  answer_.status = status;
  size_t at = head.find("\r\n");
  while (at != Bytes::npos) {
    head.remove_prefix(at + 2);
    at = head.find("\r\n");
    if (!ParseField(head.substr(0, at))) return false;
  }
  const bool bodiless = status < 200 || status == 204 || status == 304;
  if (!bodiless && !has_length_) return false;  // framed by the end of the connection, or by chunks
  if (bodiless) answer_.body_bytes = 0;
  body_missing_ = answer_.body_bytes;
  return status >= 100 && status < 600;
}

bool AnswerReader::ParseField(Bytes line) {
  const size_t colon = line.find(':');
  if (colon == Bytes::npos) return false;
  const Bytes name = line.substr(0, colon);
  Bytes value = absl::StripAsciiWhitespace(line.substr(colon + 1));
  if (absl::EqualsIgnoreCase(name, "Content-Length")) {
    if (has_length_ || value.empty() || !absl::ascii_isdigit(static_cast<unsigned char>(value[0])))
      return false;
    has_length_ = true;
    return absl::SimpleAtoi(value, &answer_.body_bytes);
  }
  if (absl::EqualsIgnoreCase(name, "ETag")) {
    if (absl::ConsumePrefix(&value, "\"") && absl::ConsumeSuffix(&value, "\"")) {
      if (!absl::SimpleAtoi(value, &answer_.revision)) answer_.revision = 0;
    }
  } else if (absl::EqualsIgnoreCase(name, "Connection")) {
    answer_.closes = absl::EqualsIgnoreCase(value, "close");
  }
  return true;
}

}  // namespace pure::bench
