#include "modules/templates/escape.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace pure::modules {
namespace {

Bytes HtmlOf(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

void AppendHtml(Bytes text, std::string* out) {
  size_t done = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const Bytes escaped = HtmlOf(text[i]);
    if (escaped.empty()) continue;
    out->append(text.substr(done, i - done));
    out->append(escaped);
    done = i + 1;
  }
  out->append(text.substr(done));
}

bool IsUnreserved(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_' ||
         c == '~';
}

void AppendUrlPart(Bytes text, std::string* out) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  for (const char c : text) {
    if (IsUnreserved(c)) {
      out->push_back(c);
      continue;
    }
    const auto octet = static_cast<unsigned char>(c);
    out->push_back('%');
    out->push_back(kDigits[octet >> 4]);
    out->push_back(kDigits[octet & 15]);
  }
}

// What begins like this, Excel and its like take for a formula (OWASP, "CSV Injection").
bool IsFormula(Bytes text) {
  return !text.empty() && Bytes("=+-@\t\r\n").find(text[0]) != Bytes::npos;
}

void AppendCsv(Bytes text, std::string* out) {
  const bool formula = IsFormula(text);
  if (!formula && text.find_first_of(",\"\r\n") == Bytes::npos) {
    out->append(text);
    return;
  }
  out->push_back('"');
  if (formula) out->push_back('\'');
  for (const char c : text) {
    if (c == '"') out->push_back('"');
    out->push_back(c);
  }
  out->push_back('"');
}

}  // namespace

bool IsSafeUrl(Bytes url) {
  const size_t colon = url.find(':');
  const size_t path = std::min(url.find_first_of("/?#"), url.size());
  const auto control = [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; };
  if (std::any_of(url.begin(), url.end(), control)) return false;
  if (colon == Bytes::npos || colon > path) return true;
  const Bytes scheme = url.substr(0, colon);
  return absl::EqualsIgnoreCase(scheme, "http") || absl::EqualsIgnoreCase(scheme, "https") ||
         absl::EqualsIgnoreCase(scheme, "mailto");
}

void AppendEscaped(Escape escape, Bytes text, std::string* out) {
  switch (escape) {
    case Escape::kPlain:
      out->append(text);
      return;
    case Escape::kHtml:
      return AppendHtml(text, out);
    case Escape::kUrl:
      return AppendHtml(IsSafeUrl(text) ? text : "#", out);
    case Escape::kUrlPart:
      return AppendUrlPart(text, out);
    case Escape::kCsv:
      return AppendCsv(text, out);
  }
}

}  // namespace pure::modules
