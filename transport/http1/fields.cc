#include "transport/http1/fields.h"

#include "absl/strings/match.h"
#include "transport/http1/bytes_class.h"
#include "transport/http1/host.h"

namespace pure::http1 {
namespace {

// 1*DIGIT that fits; leading zeros are legal.
bool ParseLength(Bytes text, uint64_t* length) {
  if (text.empty() || text.size() > 20) return false;
  uint64_t value = 0;
  for (const char c : text) {
    if (!IsDigit(c)) return false;
    const auto digit = static_cast<uint64_t>(c - '0');
    if (value > (UINT64_MAX - digit) / 10) return false;
    value = value * 10 + digit;
  }
  *length = value;
  return true;
}

// Takes the next element of a comma-separated list (RFC 9110 5.6.1). False: the list is over.
bool NextElement(Bytes* list, bool* more, Bytes* element) {
  if (!*more) return false;
  const size_t comma = list->find(',');
  *more = comma != Bytes::npos;
  *element = Trim(list->substr(0, comma));
  if (*more) list->remove_prefix(comma + 1);
  return true;
}

EntityTag ParseTag(Bytes value) {
  EntityTag tag;
  if (value == "*") {
    tag.kind = EntityTag::Kind::kAny;
    return tag;
  }
  tag.kind = EntityTag::Kind::kTag;
  tag.weak = absl::StartsWith(value, "W/");
  if (tag.weak) value.remove_prefix(2);
  tag.malformed = value.size() < 2 || value.front() != '"' || value.back() != '"';
  if (tag.malformed) return tag;
  const Bytes text = value.substr(1, value.size() - 2);
  tag.malformed = text.find_first_of("\" \t") != Bytes::npos;
  if (!tag.malformed) tag.text = text;
  return tag;
}

// A field that may stand once only.
Refusal TakeOnce(FieldState::Seen field, Bytes value, FieldState* state, Bytes* to) {
  if ((state->seen & field) != 0) return Refusal::kBadRequest;
  state->seen |= field;
  *to = value;
  return Refusal::kNone;
}

void TakeCondition(Bytes value, EntityTag* tag, Head* head) {
  if (tag->kind != EntityTag::Kind::kNone) head->repeated_condition = true;
  *tag = ParseTag(value);
}

// Compares a field name, a token, with a known one in small letters. No token octet becomes one of
// a known name by the bit that makes letters small but the letter itself. REQUIRES: the same size.
template <size_t kSize>
bool IsName(Bytes name, const char (&known)[kSize]) {
  unsigned difference = 0;
  for (size_t i = 0; i < kSize - 1; ++i) {
    difference |= static_cast<unsigned>((name[i] | 0x20) ^ known[i]);
  }
  return difference == 0;
}

// Content-Length or Transfer-Encoding with `_` for `-`: some gateways read it as the real one.
// REQUIRES: the same size.
template <size_t kSize>
bool LooksLike(Bytes name, const char (&known)[kSize]) {
  for (size_t i = 0; i < kSize - 1; ++i) {
    const char c = name[i] == '_' ? '-' : static_cast<char>(name[i] | 0x20);
    if (c != known[i]) return false;
  }
  return true;
}

Refusal TakeLength(Bytes value, Head* head, FieldState* state) {
  Bytes text;
  const Refusal refusal = TakeOnce(FieldState::kContentLength, value, state, &text);
  if (refusal != Refusal::kNone) return refusal;
  head->has_content_length = true;
  return ParseLength(text, &head->content_length) ? Refusal::kNone : Refusal::kBadRequest;
}

Refusal TakeOrigin(Bytes value, Head* head, FieldState* state) {
  head->has_origin = true;
  return TakeOnce(FieldState::kOrigin, value, state, &head->origin);
}

Refusal TakeExpect(Bytes value, Head* head, FieldState* state) {
  Bytes text;
  const Refusal refusal = TakeOnce(FieldState::kExpect, value, state, &text);
  if (refusal != Refusal::kNone) return refusal;
  head->expect_continue = absl::EqualsIgnoreCase(text, "100-continue");
  state->expect_other = !head->expect_continue;
  return Refusal::kNone;
}

void TakeConnection(Bytes value, FieldState* state) {
  Bytes option;
  bool more = true;
  while (NextElement(&value, &more, &option)) {
    if (absl::EqualsIgnoreCase(option, "close")) state->close = true;
  }
}

// Every transfer coding is refused; how says what the client could do (RFC 9112 6.1, 6.3).
Refusal RefuseTransfer(Bytes codings) {
  bool chunked = false;
  bool other = false;
  Bytes coding;
  bool more = true;
  while (NextElement(&codings, &more, &coding)) {
    if (!IsToken(coding) || chunked) return Refusal::kBadRequest;  // nothing may follow chunked
    chunked = absl::EqualsIgnoreCase(coding, "chunked");
    other |= !chunked;
  }
  return other ? Refusal::kNotImplemented : Refusal::kLengthRequired;
}

}  // namespace

Refusal TakeField(Bytes name, Bytes value, Head* head, FieldState* state) {
  switch (name.size()) {
    case 4:
      if (IsName(name, "host")) return TakeOnce(FieldState::kHost, value, state, &state->host);
      break;
    case 6:
      if (IsName(name, "accept")) head->accept = value;
      if (IsName(name, "expect")) return TakeExpect(value, head, state);
      if (IsName(name, "origin")) return TakeOrigin(value, head, state);
      break;
    case 8:
      if (IsName(name, "if-match")) TakeCondition(value, &head->if_match, head);
      break;
    case 10:
      if (IsName(name, "connection")) TakeConnection(value, state);
      break;
    case 12:
      if (IsName(name, "content-type")) {
        return TakeOnce(FieldState::kContentType, value, state, &head->content_type);
      }
      break;
    case 13:
      if (IsName(name, "if-none-match")) TakeCondition(value, &head->if_none_match, head);
      if (IsName(name, "authorization")) {
        return TakeOnce(FieldState::kAuthorization, value, state, &head->authorization);
      }
      break;
    case 14:
      if (IsName(name, "content-length")) return TakeLength(value, head, state);
      if (LooksLike(name, "content-length")) return Refusal::kBadRequest;
      break;
    case 17:
      if (IsName(name, "transfer-encoding")) {
        return TakeOnce(FieldState::kTransferEncoding, value, state, &state->transfer);
      }
      if (LooksLike(name, "transfer-encoding")) return Refusal::kBadRequest;
      break;
    default:
      break;
  }
  return Refusal::kNone;
}

Refusal FinishFields(Head* head, const FieldState& state) {
  if ((state.seen & FieldState::kTransferEncoding) != 0) {
    const bool unclear = head->has_content_length || head->minor_version == 0;
    return unclear ? Refusal::kBadRequest : RefuseTransfer(state.transfer);
  }
  if ((state.seen & FieldState::kHost) != 0) {
    Bytes name, port;
    if (!SplitHost(state.host, &name, &port)) return Refusal::kBadRequest;
    if (head->authority.empty()) head->authority = state.host;  // else the target's
  } else if (head->minor_version > 0) {
    return Refusal::kBadRequest;
  }
  head->keep_alive = head->minor_version > 0 && !state.close;
  if (head->minor_version == 0) {
    head->expect_continue = false;  // RFC 9110 10.1.1: ignored
  } else if (state.expect_other) {
    return Refusal::kExpectationFailed;
  }
  return Refusal::kNone;
}

}  // namespace pure::http1
