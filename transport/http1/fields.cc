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
bool NextElement(Bytes* list, Bytes* element) {
  if (list->data() == nullptr) return false;
  const size_t comma = list->find(',');
  *element = Trim(list->substr(0, comma));
  *list = comma == Bytes::npos ? Bytes() : Bytes(list->data() + comma + 1, list->size() - comma - 1);
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
  tag.text = value.substr(1, value.size() - 2);
  tag.malformed = tag.text.find_first_of("\" \t") != Bytes::npos;
  return tag;
}

// A field that may stand once only.
Refusal TakeOnce(Bytes value, bool* seen, Bytes* to) {
  if (*seen) return Refusal::kBadRequest;
  *seen = true;
  *to = value;
  return Refusal::kNone;
}

void TakeCondition(Bytes value, EntityTag* tag, Head* head) {
  if (tag->kind != EntityTag::Kind::kNone) head->repeated_condition = true;
  *tag = ParseTag(value);
}

// Content-Length or Transfer-Encoding with `_` for `-`: some gateways read it as the real one.
bool LooksLikeFraming(Bytes name) {
  const auto alike = [name](Bytes real) {
    if (name.size() != real.size()) return false;
    for (size_t i = 0; i < name.size(); ++i) {
      const char c = name[i] == '_' ? '-' : static_cast<char>(name[i] | 0x20);
      if (c != real[i]) return false;
    }
    return true;
  };
  return name.find('_') != Bytes::npos && (alike("content-length") || alike("transfer-encoding"));
}

Refusal TakeLength(Bytes value, Head* head) {
  if (head->has_content_length) return Refusal::kBadRequest;
  head->has_content_length = true;
  return ParseLength(value, &head->content_length) ? Refusal::kNone : Refusal::kBadRequest;
}

Refusal TakeExpect(Bytes value, Head* head, FieldState* state) {
  if (state->expect_seen) return Refusal::kBadRequest;
  state->expect_seen = true;
  head->expect_continue = absl::EqualsIgnoreCase(value, "100-continue");
  state->expect_other = !head->expect_continue;
  return Refusal::kNone;
}

void TakeConnection(Bytes value, FieldState* state) {
  Bytes option;
  while (NextElement(&value, &option)) {
    if (absl::EqualsIgnoreCase(option, "close")) state->close = true;
  }
}

// Every transfer coding is refused; how says what the client could do (RFC 9112 6.1, 6.3).
Refusal RefuseTransfer(Bytes codings) {
  bool chunked = false;
  bool other = false;
  Bytes coding;
  while (NextElement(&codings, &coding)) {
    if (!IsToken(coding) || chunked) return Refusal::kBadRequest;  // nothing may follow chunked
    chunked = absl::EqualsIgnoreCase(coding, "chunked");
    other |= !chunked;
  }
  return other ? Refusal::kNotImplemented : Refusal::kLengthRequired;
}

}  // namespace

Refusal TakeField(Bytes line, Head* head, FieldState* state) {
  const size_t colon = line.find(':');
  if (colon == Bytes::npos) return Refusal::kBadRequest;
  const Bytes name = line.substr(0, colon);
  if (!IsToken(name) || LooksLikeFraming(name)) return Refusal::kBadRequest;
  const Bytes value = Trim(line.substr(colon + 1));
  const auto is = [name](Bytes known) { return absl::EqualsIgnoreCase(name, known); };
  switch (name.size()) {
    case 4:
      if (is("host")) return TakeOnce(value, &state->host_seen, &state->host);
      break;
    case 6:
      if (is("expect")) return TakeExpect(value, head, state);
      if (is("origin")) return TakeOnce(value, &head->has_origin, &head->origin);
      if (is("accept")) head->accept = value;
      break;
    case 8:
      if (is("if-match")) TakeCondition(value, &head->if_match, head);
      break;
    case 10:
      if (is("connection")) TakeConnection(value, state);
      break;
    case 12:
      if (is("content-type")) return TakeOnce(value, &state->content_type_seen, &head->content_type);
      break;
    case 13:
      if (is("if-none-match")) TakeCondition(value, &head->if_none_match, head);
      if (is("authorization")) {
        return TakeOnce(value, &state->authorization_seen, &head->authorization);
      }
      break;
    case 14:
      if (is("content-length")) return TakeLength(value, head);
      break;
    case 17:
      if (is("transfer-encoding")) return TakeOnce(value, &state->transfer_seen, &state->transfer);
      break;
    default:
      break;
  }
  return Refusal::kNone;
}

Refusal FinishFields(Head* head, const FieldState& state, bool absolute_form) {
  if (state.transfer_seen) {
    const bool unclear = head->has_content_length || head->minor_version == 0;
    return unclear ? Refusal::kBadRequest : RefuseTransfer(state.transfer);
  }
  if (!state.host_seen && head->minor_version > 0) return Refusal::kBadRequest;
  if (state.host_seen) {
    Bytes name, port;
    if (!SplitHost(state.host, &name, &port)) return Refusal::kBadRequest;
    if (!absolute_form) head->authority = state.host;
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
