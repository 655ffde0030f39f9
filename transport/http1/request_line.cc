#include "transport/http1/request_line.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "transport/http1/bytes_class.h"
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

// Only octets of a URI, and each `%` with two hexadecimal digits. Nothing is decoded.
bool IsTarget(Bytes target) {
  for (size_t i = 0; i < target.size(); ++i) {
    if (!Is(target[i], kTargetClass)) return false;
    if (target[i] != '%') continue;
    if (i + 2 >= target.size() || !absl::ascii_isxdigit(static_cast<unsigned char>(target[i + 1])) ||
        !absl::ascii_isxdigit(static_cast<unsigned char>(target[i + 2]))) {
      return false;
    }
  }
  return true;
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

Refusal TakeRequestLine(Bytes line, Head* head, bool* absolute_form) {
  const size_t first = line.find(' ');
  if (first == Bytes::npos || !IsToken(line.substr(0, first))) return Refusal::kBadRequest;
  const size_t second = line.find(' ', first + 1);
  if (second == Bytes::npos) return Refusal::kBadRequest;
  const Bytes version = line.substr(second + 1);
  if (version.size() != 8 || !absl::StartsWith(version, "HTTP/") || version[6] != '.' ||
      !IsDigit(version[5]) || !IsDigit(version[7])) {
    return Refusal::kBadRequest;
  }
  if (version[5] != '1') return Refusal::kVersionNotSupported;
  head->minor_version = static_cast<uint8_t>(version[7] - '0');
  const Bytes method = line.substr(0, first);
  if (method == "CONNECT") return Refusal::kNotImplemented;
  head->method = MethodOf(method);
  head->target = line.substr(first + 1, second - first - 1);
  *absolute_form = false;
  if (head->target == "*") {
    head->path = head->target;
    return Refusal::kNone;
  }
  if (head->target.empty() || !IsTarget(head->target)) return Refusal::kBadRequest;
  if (head->target.front() == '/') {
    SplitQuery(head->target, head);
    return Refusal::kNone;
  }
  *absolute_form = true;
  return TakeAbsoluteTarget(head->target, head);
}

}  // namespace pure::http1
