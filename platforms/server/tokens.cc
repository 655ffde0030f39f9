#include "platforms/server/tokens.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "bearssl_hash.h"
#include "platforms/server/text_file.h"
#include "runtime/key.h"

namespace pure::server {
namespace {

constexpr size_t kFileBytesMax = 1u << 20;

// 64 hexadecimal digits, in either case.
template <typename Sum>
bool ParseSum(std::string_view text, Sum* sum) {
  if (text.size() != 2 * sum->size()) return false;
  std::string bytes;
  if (!absl::HexStringToBytes(text, &bytes)) return false;
  std::copy(bytes.begin(), bytes.end(), sum->begin());
  return true;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Tokens>> Tokens::Load(const std::string& path) {
  absl::StatusOr<std::string> text = ReadTextFile(path, kFileBytesMax, FilePrivacy::kOwnerOnly);
  if (!text.ok()) return text.status();
  return Parse(*text, path);
}

absl::StatusOr<std::shared_ptr<const Tokens>> Tokens::Parse(std::string_view text,
                                                            std::string_view file) {
  auto tokens = std::make_shared<Tokens>();
  size_t number = 0;
  for (std::string_view raw : absl::StrSplit(text, '\n')) {
    ++number;
    const std::string_view line = absl::StripAsciiWhitespace(raw);
    if (line.empty() || line[0] == '#') continue;
    Entry entry;
    absl::Status status = ParseLine(line, &entry);
    const auto same_sum = [&entry](const Entry& other) { return other.sum == entry.sum; };
    if (status.ok() && std::any_of(tokens->entries_.begin(), tokens->entries_.end(), same_sum)) {
      status = absl::InvalidArgumentError("this token's sum stands in an earlier line already");
    }
    if (status.ok() && tokens->entries_.size() == kEntriesMax) {
      status = absl::ResourceExhaustedError(
          absl::StrCat("more than ", kEntriesMax, " tokens are not taken"));
    }
    if (!status.ok()) {
      return absl::Status(status.code(), absl::StrCat(file, ":", number, ": ", status.message()));
    }
    tokens->entries_.push_back(std::move(entry));
  }
  if (tokens->entries_.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": holds no token, so nobody may"));
  }
  return tokens;
}

absl::Status Tokens::ParseLine(std::string_view line, Entry* entry) {
  const std::vector<std::string_view> fields =
      absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  // Fields are not echoed: somebody may have put a token where its sum belongs.
  if (fields.size() != 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("a line is NAME ROLE SHA256, three fields, not ", fields.size()));
  }
  if (!IsKey(fields[0])) {
    return absl::InvalidArgumentError("the name is not 1 to 64 of A-Za-z0-9-_");
  }
  if (!IsKey(fields[1])) {
    return absl::InvalidArgumentError("the role is not 1 to 64 of A-Za-z0-9-_ (\"-\" for none)");
  }
  if (!ParseSum(fields[2], &entry->sum)) {
    return absl::InvalidArgumentError("the token's SHA-256 is not 64 hexadecimal digits");
  }
  entry->owner.name = std::string(fields[0]);
  if (fields[1] != "-") entry->owner.role = std::string(fields[1]);
  return absl::OkStatus();
}

Tokens::Sum Tokens::SumOf(Bytes token) {
  br_sha256_context context;
  br_sha256_init(&context);
  br_sha256_update(&context, token.data(), token.size());
  Sum sum;
  br_sha256_out(&context, sum.data());
  return sum;
}

const TokenOwner* Tokens::Find(Bytes bearer_token) const {
  const Sum sum = SumOf(bearer_token);
  // Index of the entry that matched, plus one; 0 for none. No branch and no early end depends on a
  // sum.
  size_t found = 0;
  for (size_t i = 0; i < entries_.size(); ++i) {
    uint32_t difference = 0;
    for (size_t j = 0; j < sum.size(); ++j) difference |= sum[j] ^ entries_[i].sum[j];
    // All ones when nothing differs: only 0 - 1 sets the highest bit, 1 to 255 do not.
    const size_t mask = size_t{0} - static_cast<size_t>((difference - 1) >> 31);
    found |= mask & (i + 1);
  }
  return found == 0 ? nullptr : &entries_[found - 1].owner;
}

}  // namespace pure::server
