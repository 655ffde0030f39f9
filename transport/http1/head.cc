#include "transport/http1/head.h"

#include "transport/http1/bytes_class.h"
#include "transport/http1/fields.h"
#include "transport/http1/request_line.h"

namespace pure::http1 {

void HeadParser::Reset() {
  scanned_bytes_ = 0;
  request_line_seen_ = false;
  refusal_ = Refusal::kNone;
}

// Lines are checked once, as soon as they are complete. A head that came in pieces is read a second time when its end is
// there: only then do its spans stay where they are.
ParseResult HeadParser::Parse(Bytes buffer, Head* head) {
  const Bytes window = buffer.substr(0, limit_bytes_);
  const bool resumed = scanned_bytes_ > 0;
  ParseResult result = ParseFrom(window, head);
  if (!resumed || result != ParseResult::kComplete) return result;
  scanned_bytes_ = 0;
  request_line_seen_ = false;
  *head = Head();
  return ParseFrom(window, head);
}

ParseResult HeadParser::ParseFrom(Bytes window, Head* head) {
  const bool whole = scanned_bytes_ == 0;
  bool absolute_form = false;
  FieldState state;
  for (;;) {
    const size_t begin = scanned_bytes_;
    const size_t end = FindControl(window, begin);
    if (end == window.size() || (end + 1 == window.size() && window[end] == '\r')) {
      return CheckPart(window.substr(begin, end - begin)) ? Incomplete(window)
                                                          : Refuse(Refusal::kBadRequest);
    }
    if (window[end] != '\r' || window[end + 1] != '\n') return Refuse(Refusal::kBadRequest);
    const Bytes line = window.substr(begin, end - begin);
    scanned_bytes_ = end + 2;
    Refusal refusal = Refusal::kNone;
    if (!request_line_seen_) {
      if (line.empty() && begin == 0) continue;  // RFC 9112 2.2: one empty line before it
      request_line_seen_ = true;
      refusal = TakeRequestLine(line, head, &absolute_form);
    } else if (!line.empty()) {
      refusal = TakeField(line, head, &state);
    } else {
      if (whole) refusal = FinishFields(head, state, absolute_form);
      if (refusal != Refusal::kNone) return Refuse(refusal);
      head->size_bytes = scanned_bytes_;
      return ParseResult::kComplete;
    }
    if (refusal != Refusal::kNone) return Refuse(refusal);
  }
}

ParseResult HeadParser::Refuse(Refusal refusal) {
  refusal_ = refusal;
  return ParseResult::kRefused;
}

ParseResult HeadParser::Incomplete(Bytes window) {
  if (window.size() < limit_bytes_) return ParseResult::kIncomplete;
  return Refuse(request_line_seen_ ? Refusal::kHeadTooLarge : Refusal::kUriTooLong);
}

// The beginning of a line: nothing in it that no rest could mend.
bool HeadParser::CheckPart(Bytes part) const {
  if (request_line_seen_) {
    const Bytes name = part.substr(0, part.find(':'));
    return All(name, kTokenClass) && (name.size() == part.size() || !name.empty());
  }
  for (const char c : part) {
    if (c == '\t' || static_cast<uint8_t>(c) >= 0x80) return false;
  }
  return true;
}

}  // namespace pure::http1
