#include "transport/http1/testing/agreement.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "transport/http1/head.h"
#include "transport/http1/testing/reference_parser.h"

namespace pure::http1::testing {
namespace {

bool SameTag(const EntityTag& a, const EntityTag& b) {
  return a.kind == b.kind && a.weak == b.weak && a.malformed == b.malformed && a.text == b.text;
}

// The first field that differs, or "".
Bytes Difference(const Head& a, const Head& b) {
  if (a.method != b.method) return "method";
  if (a.minor_version != b.minor_version) return "minor_version";
  if (a.keep_alive != b.keep_alive) return "keep_alive";
  if (a.expect_continue != b.expect_continue) return "expect_continue";
  if (a.has_content_length != b.has_content_length) return "has_content_length";
  if (a.content_length != b.content_length) return "content_length";
  if (a.target != b.target) return "target";
  if (a.path != b.path) return "path";
  if (a.query != b.query || a.has_query != b.has_query) return "query";
  if (a.misdirected != b.misdirected) return "misdirected";
  if (a.authority != b.authority) return "authority";
  if (a.origin != b.origin || a.has_origin != b.has_origin) return "origin";
  if (a.authorization != b.authorization) return "authorization";
  if (a.content_type != b.content_type) return "content_type";
  if (a.accept != b.accept) return "accept";
  if (!SameTag(a.if_match, b.if_match)) return "if_match";
  if (!SameTag(a.if_none_match, b.if_none_match)) return "if_none_match";
  if (a.repeated_condition != b.repeated_condition) return "repeated_condition";
  if (a.size_bytes != b.size_bytes) return "size_bytes";
  return {};
}

std::string Describe(ParseResult result, Refusal refusal) {
  switch (result) {
    case ParseResult::kIncomplete:
      return "incomplete";
    case ParseResult::kComplete:
      return "complete";
    case ParseResult::kRefused:
      break;
  }
  return absl::StrCat("refused ", static_cast<int>(refusal));
}

}  // namespace

std::string Disagreement(Bytes request, absl::Span<const size_t> cuts, size_t limit_bytes) {
  HeadParser parser(limit_bytes);
  for (size_t i = 0; i <= cuts.size(); ++i) {
    const Bytes part = i < cuts.size() ? request.substr(0, cuts[i]) : request;
    // Memory of its exact size, so that a sanitizer sees a read behind the end; the last part's is
    // gone.
    const std::unique_ptr<char[]> copy(new char[part.size()]);
    part.copy(copy.get(), part.size());
    const ReferenceResult wanted = ReferenceParse(part, limit_bytes);
    Head head;
    const ParseResult result = parser.Parse(Bytes(copy.get(), part.size()), &head);
    const Refusal refusal = result == ParseResult::kRefused ? parser.refusal() : Refusal::kNone;
    if (result != wanted.result || refusal != wanted.refusal) {
      return absl::StrCat("after ", part.size(), " of ", request.size(),
                          " bytes: ", Describe(result, refusal),
                          ", the reference: ", Describe(wanted.result, wanted.refusal));
    }
    if (result == ParseResult::kIncomplete) continue;
    return result == ParseResult::kComplete ? std::string(Difference(head, wanted.head)) : "";
  }
  return "";
}

}  // namespace pure::http1::testing
