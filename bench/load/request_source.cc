#include "bench/load/request_source.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace pure::bench {
namespace {

constexpr Bytes kPath = " /objects/";
constexpr Bytes kVersion = " HTTP/1.1\r\n";
constexpr size_t kKeyDigits = 6;

char* WriteKeyDigits(uint32_t key, char* to) {
  for (size_t i = kKeyDigits; i-- > 0; key /= 10) to[i] = static_cast<char>('0' + key % 10);
  return to + kKeyDigits;
}

}  // namespace

RequestSource::RequestSource(const LoadOptions& options)
    : options_(options), turns_(options.connections), random_(options.seed * 2 + 1) {
  const bool ipv6 = absl::StrContains(options.address, ':');
  host_field_ = ipv6 ? absl::StrCat("Host: [", options.address, "]:", options.port, "\r\n")
                     : absl::StrCat("Host: ", options.address, ":", options.port, "\r\n");
  filler_.resize(options.value_bytes);
  for (size_t i = 0; i < filler_.size(); ++i) filler_[i] = static_cast<char>('a' + i % 26);
  if (options.path.empty()) {
    revisions_.resize(options.keys);
  } else {
    MakeFixed();
  }
}

void RequestSource::MakeFixed() {
  fixed_ = absl::StrCat(options_.method, " ", options_.path, kVersion, host_field_);
  if (options_.method == "GET") {
    absl::StrAppend(&fixed_, "\r\n");
  } else {
    absl::StrAppend(&fixed_, "Content-Length: ", options_.value_bytes, "\r\n\r\n", filler_);
  }
}

Request RequestSource::Next(uint32_t connection, std::string* out) {
  if (!fixed_.empty()) {
    out->append(fixed_);
    return {.kind = Request::Kind::kFixed};
  }
  if (Random() % 100 >= options_.put_percent) {
    const Request request = {.kind = Request::Kind::kGet,
                             .key = static_cast<uint32_t>(Random() % options_.keys)};
    AppendGet(request.key, out);
    return request;
  }
  // Its own keys are its number and every `connections`th from there on.
  const uint32_t own = (options_.keys - 1 - connection) / options_.connections + 1;
  const uint32_t turn = turns_[connection]++ % own;
  const Request request = {.kind = Request::Kind::kPut,
                           .key = connection + turn * options_.connections};
  AppendPut(request.key, out);
  return request;
}

bool RequestSource::NextPreparation(uint32_t connection, uint32_t turn, std::string* out,
                                    Request* request) {
  const uint64_t key = uint64_t{turn} * options_.connections + connection;
  if (!fixed_.empty() || key >= options_.keys) return false;
  *request = {.kind = Request::Kind::kPut, .key = static_cast<uint32_t>(key)};
  AppendPut(request->key, out);
  return true;
}

bool RequestSource::Answered(const Request& request, const Answer& answer) {
  if (request.kind == Request::Kind::kFixed) return true;
  // What an answer to a read shows may be older than a write that was answered on another
  // connection meanwhile.
  uint64_t& revision = revisions_[request.key];
  if (answer.revision > 0) {
    revision =
        request.kind == Request::Kind::kPut ? answer.revision : std::max(revision, answer.revision);
  }
  if (request.kind == Request::Kind::kPut || answer.status != 200) return true;
  char buffer[Answer::kBodyStartBytes];
  const Bytes start = ValueStart(request.key, answer.revision, buffer);
  return answer.body_bytes == options_.value_bytes && absl::StartsWith(answer.BodyStart(), start);
}

std::string RequestSource::KeyText(uint32_t key) const {
  std::string text;
  AppendKey(key, &text);
  return text;
}

std::string RequestSource::ValueText(uint32_t key, uint64_t revision) const {
  char buffer[Answer::kBodyStartBytes];
  const Bytes start = ValueStart(key, revision, buffer);
  return absl::StrCat(start, Bytes(filler_).substr(start.size()));
}

void RequestSource::AppendKey(uint32_t key, std::string* out) const {
  char digits[kKeyDigits];
  (void)WriteKeyDigits(key, digits);
  out->append(options_.key_prefix).append(1, '-').append(digits, kKeyDigits);
}

void RequestSource::AppendGet(uint32_t key, std::string* out) const {
  out->append("GET").append(kPath);
  AppendKey(key, out);
  out->append(kVersion).append(host_field_).append("\r\n");
}

void RequestSource::AppendPut(uint32_t key, std::string* out) const {
  out->append("PUT").append(kPath);
  AppendKey(key, out);
  out->append(kVersion).append(host_field_);
  absl::StrAppend(out, "Content-Length: ", options_.value_bytes, "\r\n");
  const uint64_t revision = revisions_[key];
  if (revision == 0) {
    out->append("If-None-Match: *\r\n\r\n");
  } else {
    absl::StrAppend(out, "If-Match: \"", revision, "\"\r\n\r\n");
  }
  char buffer[Answer::kBodyStartBytes];
  const Bytes start = ValueStart(key, revision + 1, buffer);
  out->append(start).append(Bytes(filler_).substr(start.size()));
}

Bytes RequestSource::ValueStart(uint32_t key, uint64_t revision, char* buffer) const {
  // A prefix of 32 bytes, 6 digits, 20 digits and two spaces fit; CheckLoadOptions sees to the
  // prefix.
  char* end = std::copy(options_.key_prefix.begin(), options_.key_prefix.end(), buffer);
  *end++ = '-';
  end = WriteKeyDigits(key, end);
  *end++ = ' ';
  end = std::to_chars(end, buffer + Answer::kBodyStartBytes, revision).ptr;
  *end++ = ' ';
  return Bytes(buffer, std::min(static_cast<size_t>(end - buffer), options_.value_bytes));
}

// xorshift64*: cheap, and the same for the same seed.
uint64_t RequestSource::Random() {
  random_ ^= random_ >> 12;
  random_ ^= random_ << 25;
  random_ ^= random_ >> 27;
  return (random_ * 0x2545F4914F6CDD1DULL) >> 32;
}

}  // namespace pure::bench
