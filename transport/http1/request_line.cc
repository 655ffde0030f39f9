#include "transport/http1/request_line.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "transport/http1/host.h"

namespace pure::http1 {
namespace {

Method MethodOf(Bytes name) {
  if (name == "GET") return Method::kGet;
  if (name == "PUT") return Method::kPut;
  if (name == "HEAD") return Method::kHead;
  if (name == "POST") return Method::kPost;
  if (name == "OPTIONS") return Method::kOptions;
  if (name == "DELETE") return Method::kDelete;
  if (name == "PATCH") return Method::kPatch;
  return Method::kOther;
}

void SplitQuery(Bytes target, Head* head) {
  const size_t mark = target.find('?');
  head->path = target.substr(0, mark);
  head->has_query = mark != Bytes::npos;
  if (head->has_query) head->query = target.substr(mark + 1);
}

// http://authority[/path][?query] (RFC 9112 3.2.2).
Refusal TakeAbsoluteTarget(Bytes target, Head* head) {
  constexpr Bytes kHttp = "http://";
  constexpr Bytes kHttps = "https://";
  head->misdirected = absl::StartsWithIgnoreCase(target, kHttps);
  if (!head->misdirected && !absl::StartsWithIgnoreCase(target, kHttp)) return Refusal::kBadRequest;
  target.remove_prefix(head->misdirected ? kHttps.size() : kHttp.size());
  const size_t end = std::min(target.find_first_of("/?"), target.size());
  head->authority = target.substr(0, end);
  Bytes name, port;
  if (!SplitHost(head->authority, &name, &port)) return Refusal::kBadRequest;
  SplitQuery(target.substr(end), head);
  if (head->path.empty()) head->path = "/";
  return Refusal::kNone;
}

}  // namespace

Refusal TakeRequestLine(const RequestLine& line, Head* head) {
  if (line.version[5] != '1') return Refusal::kVersionNotSupported;
  head->minor_version = static_cast<uint8_t>(line.version[7] - '0');
  if (line.method == "CONNECT") return Refusal::kNotImplemented;
  head->method = MethodOf(line.method);
  head->target = line.target;
  if (line.target.front() == '/') {
    SplitQuery(line.target, head);
    return Refusal::kNone;
  }
  if (line.target == "*") {
    head->path = line.target;
    return Refusal::kNone;
  }
  return TakeAbsoluteTarget(line.target, head);
}

}  // namespace pure::http1
