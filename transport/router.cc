#include "transport/router.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "transport/http1/host.h"

namespace pure::transport {
namespace {

using http1::Head;
using http1::Method;

constexpr Bytes kObjects = "/objects/";
constexpr Bytes kViews = "/views/";
constexpr Bytes kInputs = "/inputs/";
constexpr Bytes kOwnPages = "/-/";
constexpr Bytes kDocumentAllow = "GET, HEAD, PUT, OPTIONS";
constexpr Bytes kMessageAllow = "POST, OPTIONS";
constexpr Bytes kPageAllow = "GET, HEAD, OPTIONS";
constexpr Bytes kBothAllow = "GET, HEAD, POST, OPTIONS";

void Refuse(uint16_t status, Bytes error, bool close, Routed* routed) {
  routed->kind = Routed::Kind::kAnswer;
  routed->status = status;
  routed->error = error;
  routed->close = close;
}

bool Reads(const Head& head) { return head.method == Method::kGet || head.method == Method::kHead; }

bool Unsafe(const Head& head) { return !Reads(head) && head.method != Method::kOptions; }

// A known path with a method that it does not have, or OPTIONS.
void RefuseMethod(const Head& head, Bytes allow, Routed* routed) {
  if (head.method == Method::kOther) return Refuse(501, "request", false, routed);
  const bool options = head.method == Method::kOptions;
  Refuse(options ? 204 : 405, options ? "none" : "request", false, routed);
  routed->allow = allow;
}

// True when a page of `origin` is one of the server that the request names: same authority, no
// other port.
bool SameOrigin(Bytes origin, Bytes authority) {
  for (const Bytes scheme : {Bytes("http://"), Bytes("https://")}) {
    if (absl::StartsWithIgnoreCase(origin, scheme)) {
      return absl::EqualsIgnoreCase(origin.substr(scheme.size()), authority);
    }
  }
  return false;
}

bool IsMedia(Bytes content_type, Bytes media) {
  const Bytes type = content_type.substr(0, content_type.find(';'));
  return absl::EqualsIgnoreCase(type.substr(0, type.find_last_not_of(" \t") + 1), media);
}

}  // namespace

Router::Router(const modules::Module* module, const Access* access, const RouterOptions& options)
    : module_(module), access_(access), options_(options) {}

Routed Router::Route(const Head& head) const {
  Routed routed;
  if (head.misdirected) {
    Refuse(421, "request", false, &routed);
    return routed;
  }
  if (!MayAnswer(head, &routed)) return routed;
  if (head.path == "*") {
    const bool options = head.method == Method::kOptions;
    Refuse(options ? 204 : 400, options ? "none" : "request", !options, &routed);
    if (options) routed.allow = kDocumentAllow;
    return routed;
  }
  if (absl::StartsWith(head.path, kOwnPages)) {
    if (!Reads(head)) {
      RefuseMethod(head, kPageAllow, &routed);
    } else if (head.content_length > 0) {
      Refuse(400, "request", true, &routed);
    } else {
      routed.kind = Routed::Kind::kPage;
    }
    return routed;
  }
  if (module_->documents() && absl::StartsWith(head.path, kObjects)) {
    RouteObject(head, head.path.substr(kObjects.size()), &routed);
    return routed;
  }
  RouteHandlers(head, &routed);
  return routed;  // else 404, as it began
}

// Who may: names and origins of a loopback server, then tokens.
bool Router::MayAnswer(const Head& head, Routed* routed) const {
  if (options_.loopback) {
    Bytes name, port;
    if (!head.authority.empty() &&
        (!http1::SplitHost(head.authority, &name, &port) || !http1::IsLoopbackName(name))) {
      Refuse(403, "denied", true, routed);
      return false;
    }
  }
  if (Unsafe(head) && head.has_origin && !SameOrigin(head.origin, head.authority)) {
    Refuse(403, "denied", true, routed);
    return false;
  }
  if (!access_->NeedsToken()) return true;
  constexpr Bytes kBearer = "Bearer ";
  const Bytes bearer = absl::StartsWithIgnoreCase(head.authorization, kBearer)
                           ? head.authorization.substr(kBearer.size())
                           : Bytes();
  if (access_->Allows(bearer)) return true;
  Refuse(401, "unauthenticated", true, routed);
  routed->challenge = true;
  return false;
}

void Router::RouteObject(const Head& head, Bytes rest, Routed* routed) const {
  if (rest.empty()) return;
  const size_t slash = rest.find('/');
  const Bytes key = rest.substr(0, slash);
  if (!IsKey(key) || head.has_query) return Refuse(400, "request", true, routed);
  routed->key = Key(key);
  if (slash != Bytes::npos) return RouteMessage(head, rest.substr(slash + 1), routed);
  if (Reads(head)) return RouteRead(head, routed);
  if (head.method == Method::kPut) return RouteEdit(head, routed);
  RefuseMethod(head, kDocumentAllow, routed);
}

void Router::RouteRead(const Head& head, Routed* routed) const {
  if (head.content_length > 0) return Refuse(400, "request", true, routed);
  routed->kind = Routed::Kind::kApply;
  routed->effect = pure::Kind::kRead;
  routed->route.index = static_cast<uint16_t>(module_->show());
}

void Router::RouteEdit(const Head& head, Routed* routed) const {
  if (!WriteCondition(head, &routed->condition)) return Refuse(400, "request", true, routed);
  // Without one, a PUT would empty the document by accident.
  if (!head.has_content_length) return Refuse(411, "request", true, routed);
  const uint64_t bytes_max = std::min(options_.object_bytes_max, module_->document_bytes_max());
  if (!TakeBody(head, bytes_max, routed)) return;
  routed->route.index = static_cast<uint16_t>(module_->edit());
}

// POST of any other message. Its conditions are optional, of the same form as those of a PUT.
void Router::RouteMessage(const Head& head, Bytes name, Routed* routed) const {
  const int message = module_->FindMessage(name);
  if (message < 0) {
    const bool key_like = IsKey(name);
    return key_like ? Refuse(404, "not_found", false, routed)
                    : Refuse(400, "request", true, routed);
  }
  if (message == module_->show() || message == module_->edit()) return;
  if (head.method != Method::kPost) return RefuseMethod(head, kMessageAllow, routed);
  const bool conditional = head.if_match.kind != http1::EntityTag::Kind::kNone ||
                           head.if_none_match.kind != http1::EntityTag::Kind::kNone;
  if (conditional && !WriteCondition(head, &routed->condition)) {
    return Refuse(400, "request", true, routed);
  }
  if (!TakeArguments(head, routed)) return;
  routed->route.index = static_cast<uint16_t>(message);
}

// A body with arguments, in the form that its content type says.
bool Router::TakeArguments(const Head& head, Routed* routed) const {
  if (!TakeBody(head, options_.object_bytes_max, routed)) return false;
  if (IsMedia(head.content_type, "application/json")) {
    routed->route.encoding = modules::BodyEncoding::kJson;
  }
  if (IsMedia(head.content_type, "application/x-www-form-urlencoded")) {
    routed->route.encoding = modules::BodyEncoding::kForm;
  }
  return true;
}

// Inputs and views, at their names and at paths of their own. An input and a view may share one.
void Router::RouteHandlers(const Head& head, Routed* routed) const {
  const absl::Span<const modules::HandlerInfo> handlers = module_->handlers();
  size_t view = handlers.size();
  size_t input = handlers.size();
  for (size_t i = 0; i < handlers.size(); ++i) {
    const Bytes named = handlers[i].is_view ? kViews : kInputs;
    const bool here = head.path == Bytes(handlers[i].path) ||
                      (absl::StartsWith(head.path, named) &&
                       head.path.substr(named.size()) == Bytes(handlers[i].name));
    if (here) (handlers[i].is_view ? view : input) = i;
  }
  const bool has_view = view < handlers.size();
  const bool has_input = input < handlers.size();
  if (!has_view && !has_input) return;
  if (has_view && Reads(head)) return RouteView(head, view, routed);
  if (has_input && head.method == Method::kPost) return RouteInput(head, input, routed);
  RefuseMethod(head,
               has_view && has_input ? kBothAllow
               : has_view            ? kPageAllow
                                     : kMessageAllow,
               routed);
}

void Router::RouteView(const Head& head, size_t view, Routed* routed) const {
  if (head.content_length > 0) return Refuse(400, "request", true, routed);
  routed->kind = Routed::Kind::kApply;
  routed->effect = pure::Kind::kRead;
  routed->arguments = head.query;
  routed->route = {.is_handler = true,
                   .index = static_cast<uint16_t>(view),
                   .encoding = modules::BodyEncoding::kForm};
}

void Router::RouteInput(const Head& head, size_t input, Routed* routed) const {
  if (head.has_query) return Refuse(400, "request", true, routed);
  if (!TakeArguments(head, routed)) return;
  routed->route.is_handler = true;
  routed->route.index = static_cast<uint16_t>(input);
}

// A request with a body, which has to be within the limit. None was announced: it is empty (RFC
// 9112 section 6.3).
bool Router::TakeBody(const Head& head, uint64_t bytes_max, Routed* routed) const {
  if (head.content_length > bytes_max) {
    Refuse(413, "limit", true, routed);
    return false;
  }
  routed->kind = Routed::Kind::kApply;
  routed->effect = pure::Kind::kWrite;
  return true;
}

}  // namespace pure::transport
