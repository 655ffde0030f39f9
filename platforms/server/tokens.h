#pragma once

// Tokens: who may, by bearer tokens (RFC 6750 section 2.1), as the operator's token file lists
// them. The file and the process hold only SHA-256 sums, so neither gives a token away.
//
// A line of the file is `NAME ROLE SUM`: a name and a role of 1 to 64 bytes of A-Za-z0-9-_, and 64
// hexadecimal digits. Role "-" is none. A name may have several lines, so that an old token holds
// until its successor is in use; a sum stands once. Blank lines and lines that begin with # are
// left out.
//
// Thread: any; immutable. A file that is read anew becomes a new object, which is swapped in by its
// shared_ptr.

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/statusor.h"
#include "runtime/bytes.h"

namespace pure::server {

// Who a token stands for.
struct TokenOwner {
  std::string name;
  std::string role;  // empty: none
};

class Tokens final {
 public:
  static constexpr size_t kEntriesMax = 1024;  // every request is compared with each

  // Reads the file, which must belong to this user or root and be out of others' reach (mode 0600).
  // Errors name the file, or FILE:LINE.
  static absl::StatusOr<std::shared_ptr<const Tokens>> Load(const std::string& path);

  // The same from a text; `file` is named in errors. A text without a token is refused: nobody
  // could do anything.
  static absl::StatusOr<std::shared_ptr<const Tokens>> Parse(std::string_view text,
                                                             std::string_view file);

  // The owner of the token, or null. The time it takes tells the length of `bearer_token` and the
  // number of entries, nothing else. Cost: one SHA-256; no allocation. The pointer lives as long as
  // this object.
  const TokenOwner* Find(Bytes bearer_token) const ABSL_ATTRIBUTE_LIFETIME_BOUND;

  size_t size() const { return entries_.size(); }

 private:
  using Sum = std::array<unsigned char, 32>;
  struct Entry {
    Sum sum;
    TokenOwner owner;
  };

  static Sum SumOf(Bytes token);
  static absl::Status ParseLine(std::string_view line, Entry* entry);

  std::vector<Entry> entries_;
};

}  // namespace pure::server
