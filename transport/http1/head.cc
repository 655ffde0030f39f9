#include "transport/http1/head.h"

#include "transport/http1/bytes_class.h"
#include "transport/http1/fields.h"
#include "transport/http1/request_line.h"

namespace pure::http1 {
namespace {

constexpr size_t kVersionBytes = 8;  // HTTP/1.1
constexpr Bytes kVersionForm = "HTTP/0.0\r\n";

Bytes Between(Bytes octets, size_t begin, size_t end) {
  return Bytes(octets.data() + begin, end - begin);
}

}  // namespace

void HeadParser::Reset() {
  Rewind();
  refusal_ = Refusal::kNone;
}

void HeadParser::Rewind() {
  scanned_bytes_ = 0;
  seen_fields_ = 0;
  part_ = Part::kBegin;
}

// A head that came in pieces is read again when its end is there: only then do its spans stay where
// they are.
ParseResult HeadParser::Parse(Bytes buffer, Head* head) {
  const Bytes window = buffer.substr(0, limit_bytes_);
  const bool resumed = scanned_bytes_ > 0;
  const ParseResult result = ParseFrom(window, head);
  if (!resumed || result != ParseResult::kComplete) return result;
  Rewind();
  *head = Head();
  return ParseFrom(window, head);
}

// From left to right, part by part: what a byte means depends on those before it only, so that
// every way of splitting the head meets the same refusal first.
ParseResult HeadParser::ParseFrom(Bytes window, Head* head) {
  const bool whole = scanned_bytes_ == 0;
  FieldState state;
  state.seen = seen_fields_;
  Scan scan = Scan::kLine;
  if (part_ < Part::kLine) {
    scan = ScanRequestLine(window);
    if (scan == Scan::kLine) {
      const RequestLine line = {Between(window, line_begin_bytes_, target_begin_bytes_ - 1),
                                Between(window, target_begin_bytes_, tail_begin_bytes_ - 1),
                                window.substr(tail_begin_bytes_, kVersionBytes)};
      const Refusal refusal = TakeRequestLine(line, head);
      if (refusal != Refusal::kNone) return Refuse(refusal);
      part_ = Part::kLine;
    }
  }
  while (scan == Scan::kLine) {
    scan = ScanField(window);
    if (scan != Scan::kLine) break;
    const Bytes name = Between(window, line_begin_bytes_, tail_begin_bytes_ - 1);
    const Bytes value = Between(window, tail_begin_bytes_, scanned_bytes_ - 2);
    const Refusal refusal = TakeField(name, Trim(value), head, &state);
    if (refusal != Refusal::kNone) return Refuse(refusal);
  }
  if (scan == Scan::kIllegal) return Refuse(Refusal::kBadRequest);
  if (scan == Scan::kMore) {
    seen_fields_ = state.seen;
    return Incomplete(window);
  }
  if (whole) {
    const Refusal refusal = FinishFields(head, state);
    if (refusal != Refusal::kNone) return Refuse(refusal);
    head->size_bytes = scanned_bytes_;
  }
  return ParseResult::kComplete;
}

// An empty line before the request line is skipped once (RFC 9112 2.2).
HeadParser::Scan HeadParser::ScanRequestLine(Bytes window) {
  if (part_ == Part::kBegin) {
    if (window.empty()) return Scan::kMore;
    line_begin_bytes_ = 0;
    if (window.front() == '\r') {
      if (window.size() < 2) return Scan::kMore;
      if (window[1] != '\n') return Scan::kIllegal;
      line_begin_bytes_ = scanned_bytes_ = 2;
    }
    part_ = Part::kMethod;
  }
  if (part_ == Part::kMethod) {
    scanned_bytes_ = FindOther(window, scanned_bytes_, kTokenClass);
    if (scanned_bytes_ == window.size()) return Scan::kMore;
    if (window[scanned_bytes_] != ' ' || scanned_bytes_ == line_begin_bytes_) return Scan::kIllegal;
    target_begin_bytes_ = ++scanned_bytes_;
    part_ = Part::kTarget;
  }
  if (part_ == Part::kTarget) {
    const Scan scan = ScanTarget(window);
    if (scan != Scan::kLine) return scan;
    tail_begin_bytes_ = scanned_bytes_;
    part_ = Part::kVersion;
  }
  return ScanVersion(window);
}

// Through the space behind the target. Escapes are checked and left as they are.
HeadParser::Scan HeadParser::ScanTarget(Bytes window) {
  for (;;) {
    scanned_bytes_ = FindOther(window, scanned_bytes_, kTargetClass);
    const Bytes rest = window.substr(scanned_bytes_, 3);
    if (rest.empty()) return Scan::kMore;
    if (rest.front() != '%') break;
    for (const char c : rest.substr(1)) {
      if (!Is(c, kHexClass)) return Scan::kIllegal;
    }
    if (rest.size() < 3) return Scan::kMore;
    scanned_bytes_ += 3;
  }
  if (window[scanned_bytes_] != ' ' || scanned_bytes_ == target_begin_bytes_) return Scan::kIllegal;
  ++scanned_bytes_;
  return Scan::kLine;
}

// Through the line end; a 0 of the form stands for any digit.
HeadParser::Scan HeadParser::ScanVersion(Bytes window) {
  const size_t end = tail_begin_bytes_ + kVersionForm.size();
  for (; scanned_bytes_ < end; ++scanned_bytes_) {
    if (scanned_bytes_ == window.size()) return Scan::kMore;
    const char form = kVersionForm[scanned_bytes_ - tail_begin_bytes_];
    const char c = window[scanned_bytes_];
    if (form == '0' ? !IsDigit(c) : c != form) return Scan::kIllegal;
  }
  return Scan::kLine;
}

// One field line, or the empty line at the end (RFC 9112 5).
HeadParser::Scan HeadParser::ScanField(Bytes window) {
  if (part_ == Part::kLine) {
    if (scanned_bytes_ == window.size()) return Scan::kMore;
    if (window[scanned_bytes_] == '\r') {
      if (scanned_bytes_ + 1 == window.size()) return Scan::kMore;
      if (window[scanned_bytes_ + 1] != '\n') return Scan::kIllegal;
      scanned_bytes_ += 2;
      return Scan::kEnd;
    }
    line_begin_bytes_ = scanned_bytes_;
    part_ = Part::kName;
  }
  if (part_ == Part::kName) {
    scanned_bytes_ = FindOther(window, scanned_bytes_, kTokenClass);
    if (scanned_bytes_ == window.size()) return Scan::kMore;
    if (window[scanned_bytes_] != ':' || scanned_bytes_ == line_begin_bytes_) return Scan::kIllegal;
    tail_begin_bytes_ = ++scanned_bytes_;
    part_ = Part::kValue;
  }
  scanned_bytes_ = FindControl(window, scanned_bytes_);
  if (scanned_bytes_ == window.size()) return Scan::kMore;
  if (window[scanned_bytes_] != '\r') return Scan::kIllegal;
  if (scanned_bytes_ + 1 == window.size()) return Scan::kMore;
  if (window[scanned_bytes_ + 1] != '\n') return Scan::kIllegal;
  scanned_bytes_ += 2;
  part_ = Part::kLine;
  return Scan::kLine;
}

ParseResult HeadParser::Refuse(Refusal refusal) {
  refusal_ = refusal;
  return ParseResult::kRefused;
}

ParseResult HeadParser::Incomplete(Bytes window) {
  if (window.size() < limit_bytes_) return ParseResult::kIncomplete;
  return Refuse(part_ < Part::kLine ? Refusal::kUriTooLong : Refusal::kHeadTooLarge);
}

}  // namespace pure::http1
