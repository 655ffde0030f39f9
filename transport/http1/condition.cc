#include "transport/http1/head.h"

// Conditions of requests (RFC 9110 13.1), as far as the document contract takes them.

namespace pure::http1 {

// Tags compare as bytes with the printed revision, so only the one spelling that is printed names
// it.
uint64_t TagRevision(const EntityTag& tag) {
  if (tag.kind != EntityTag::Kind::kTag || tag.malformed) return 0;
  if (tag.text.empty() || tag.text.front() == '0') return 0;
  uint64_t revision = 0;
  for (const char c : tag.text) {
    if (c < '0' || c > '9') return 0;
    const auto digit = static_cast<uint64_t>(c - '0');
    if (revision > (UINT64_MAX - digit) / 10) return 0;
    revision = revision * 10 + digit;
  }
  return revision;
}

bool WriteCondition(const Head& head, Condition* condition) {
  using TagKind = EntityTag::Kind;
  if (head.repeated_condition) return false;
  const bool match = head.if_match.kind != TagKind::kNone;
  const bool none_match = head.if_none_match.kind != TagKind::kNone;
  if (match == none_match) return false;
  if (none_match) {
    if (head.if_none_match.kind != TagKind::kAny) return false;
    *condition = {Condition::Kind::kAbsent, 0};
    return true;
  }
  if (head.if_match.kind != TagKind::kTag || head.if_match.malformed) return false;
  const uint64_t revision = head.if_match.weak ? 0 : TagRevision(head.if_match);
  *condition = {revision == 0 ? Condition::Kind::kNever : Condition::Kind::kRevision, revision};
  return true;
}

bool NotModified(const Head& head, uint64_t revision) {
  if (head.if_none_match.kind == EntityTag::Kind::kAny) return true;
  return revision != 0 && TagRevision(head.if_none_match) == revision;
}

}  // namespace pure::http1
