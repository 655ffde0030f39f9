#pragma once

// Head: the parsed head of one HTTP/1.1 request (RFC 9112), and the parser that makes it. No OS
// call, no allocation.
//
// The parser scans bytewise and fails at the first illegal byte, without waiting for more. It
// refuses everything that two parsers could read differently (docs/http.md): bare CR or LF,
// folding, space before a colon, two lengths, any transfer coding.
//
// Lifetime: the head's spans point into the buffer that was parsed.

#include <cstddef>
#include <cstdint>

#include "runtime/bytes.h"
#include "runtime/condition.h"

namespace pure::http1 {

enum class Method : uint8_t { kGet, kHead, kPut, kPost, kOptions, kDelete, kPatch, kOther };

// Why a request is refused before anything looked at its target. answer.h has its status.
enum class Refusal : uint8_t {
  kNone,
  kBadRequest,           // 400 request: grammar
  kLengthRequired,       // 411 request: `chunked` alone
  kUriTooLong,           // 414 headers: no line end within the limit
  kExpectationFailed,    // 417 request
  kHeadTooLarge,         // 431 headers
  kNotImplemented,       // 501 request: a transfer coding that is not known, or CONNECT
  kVersionNotSupported,  // 505 request
};

// One strong or weak tag, or `*`, of If-Match or If-None-Match.
struct EntityTag {
  enum class Kind : uint8_t { kNone, kAny, kTag };
  Kind kind = Kind::kNone;
  bool weak = false;
  bool malformed = false;  // a list, no quotes or one: refused where a condition is needed
  Bytes text;              // between the quotes; empty when malformed
};

struct Head {
  Method method = Method::kOther;
  uint8_t minor_version = 1;  // of HTTP/1.x; 0 is answered once and closed
  bool keep_alive = true;     // false: HTTP/1.0, or `close` among the Connection options
  bool expect_continue = false;
  bool has_content_length = false;
  uint64_t content_length = 0;
  Bytes target;  // as sent
  Bytes path;    // without the query, never decoded; "*" for the asterisk-form
  Bytes query;   // behind the first `?`
  bool has_query = false;
  bool misdirected = false;  // an https target on a clear connection: 421
  Bytes authority;           // of an absolute-form target, else Host; may be empty in HTTP/1.0
  Bytes origin;
  bool has_origin = false;
  Bytes authorization;
  Bytes content_type;
  Bytes accept;
  EntityTag if_match;
  EntityTag if_none_match;
  bool repeated_condition = false;  // two lines of the same condition field
  size_t size_bytes = 0;  // from an ignored empty line on through the empty line at the end
};

enum class ParseResult : uint8_t {
  kIncomplete,  // legal so far
  kComplete,
  kRefused,  // see refusal(); the connection is closed after the answer
};

// One request's parser; Reset() for the next. Bytes are given from the request's first byte on,
// each time all that there are: the buffer may have moved in between, its earlier content may not
// have changed. What comes out does not depend on how the bytes were split. Cost: linear in the
// bytes: each is looked at once, and a head that came in pieces once more when its end is there.
class HeadParser {
 public:
  // `limit_bytes`: largest head, its last CRLF included.
  explicit HeadParser(size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // kComplete: *head is filled. Bytes after the head are not looked at. REQUIRES: *head is as
  // constructed. After kRefused nothing may be parsed before Reset().
  ParseResult Parse(Bytes buffer, Head* head);
  Refusal refusal() const { return refusal_; }
  void Reset();

 private:
  enum class Part : uint8_t { kBegin, kMethod, kTarget, kVersion, kLine, kName, kValue };
  enum class Scan : uint8_t { kMore, kIllegal, kLine, kEnd };

  ParseResult ParseFrom(Bytes window, Head* head);
  Scan ScanRequestLine(Bytes window);
  Scan ScanTarget(Bytes window);
  Scan ScanVersion(Bytes window);
  Scan ScanField(Bytes window);
  ParseResult Refuse(Refusal refusal);
  ParseResult Incomplete(Bytes window);
  void Rewind();

  const size_t limit_bytes_;
  size_t scanned_bytes_ = 0;     // every byte before is legal where it stands
  size_t line_begin_bytes_ = 0;  // of the line that is being scanned: its method or its field name
  size_t target_begin_bytes_ = 0;
  size_t tail_begin_bytes_ = 0;  // of its version or its field value
  uint16_t seen_fields_ = 0;     // of the lines that are complete: FieldState::seen
  Part part_ = Part::kBegin;
  Refusal refusal_ = Refusal::kNone;
};

// The condition of a PUT: exactly one of If-Match with one strong tag, or If-None-Match: *. False:
// neither, both, or not of that form.
bool WriteCondition(const Head& head, Condition* condition);

// The revision that a tag names, weak or strong, when it is spelled as revisions are printed; else
// 0.
uint64_t TagRevision(const EntityTag& tag);

// True when If-None-Match names this revision (weak comparison) or is `*`: a GET is answered 304.
bool NotModified(const Head& head, uint64_t revision);

}  // namespace pure::http1
