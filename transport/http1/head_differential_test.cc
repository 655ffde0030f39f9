// The parser against the reference parser on requests that were made wrong in random ways.
// HEAD_SEED and HEAD_ROUNDS in the environment choose others.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "gtest/gtest.h"
#include "runtime/bytes.h"
#include "transport/http1/testing/agreement.h"
#include "transport/http1/testing/cases.h"

namespace pure::http1 {
namespace {

// What is put in where it does not belong.
constexpr Bytes kWords[] = {
    "\r\n",
    "\r",
    "\n",
    "\r\n\r\n",
    " ",
    "\t",
    ":",
    ",",
    "%",
    "%4",
    "%41",
    "?a=b&c",
    "[::1]",
    "[1:2::3.4.5.6]:80",
    "http://a",
    "HTTPS://a:1/",
    "*",
    "GET ",
    "CONNECT ",
    " HTTP/1.1",
    " HTTP/1.0",
    " HTTP/1.2",
    " HTTP/2.0",
    "/objects/a",
    "Host: a\r\n",
    "Host: a:80\r\n",
    "Content-Length: 5\r\n",
    "Content-Length: 18446744073709551615\r\n",
    "Content_Length: 1\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: gzip, chunked\r\n",
    "transfer_encoding:\r\n",
    "Connection: close\r\n",
    "Connection: a, CLOSE ,b\r\n",
    "Expect: 100-Continue\r\n",
    "Expect: x\r\n",
    "Origin: null\r\n",
    "Origin:\r\n",
    "Authorization: Bearer x\r\n",
    "Accept: */*\r\n",
    "Content-Type: text/plain\r\n",
    "If-Match: \"7\"\r\n",
    "If-Match: *\r\n",
    "If-None-Match: W/\"7\"\r\n",
    "If-None-Match: *\r\n",
    "If-None-Match: \"1\", \"2\"\r\n",
    "\x80",
    "\x7f",
};

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed), cases_(testing::LoadCases()) {}

  size_t Below(size_t end) { return end == 0 ? 0 : random_() % end; }

  std::string Next() {
    std::string request = Pick().substr(0, 700);
    const size_t changes = 1 + Below(4);
    for (size_t i = 0; i < changes; ++i) Change(&request);
    return request;
  }

  std::vector<size_t> Cuts(size_t size) {
    std::vector<size_t> cuts;
    for (size_t i = Below(4); i > 0; --i) cuts.push_back(Below(size + 1));
    std::sort(cuts.begin(), cuts.end());
    return cuts;
  }

 private:
  const std::string& Pick() { return cases_[Below(cases_.size())].request; }

  void Change(std::string* request) {
    const size_t at = Below(request->size() + 1);
    const size_t some = std::min(request->size() - at, 1 + Below(12));
    switch (Below(8)) {
      case 0:
        if (at < request->size()) (*request)[at] = static_cast<char>(Below(256));
        break;
      case 1:
        request->erase(at, some);
        break;
      case 2:
        request->insert(at, request->substr(at, some));
        break;
      case 3:
        request->resize(at);
        break;
      case 4: {  // the tail of another request
        const std::string& other = Pick();
        request->resize(at);
        request->append(other, Below(std::min<size_t>(other.size(), 700)), 300);
        break;
      }
      case 5:
      case 6: {  // a word at the beginning of a line
        size_t line = request->find("\r\n", at);
        line = line == std::string::npos ? at : line + 2;
        request->insert(line, Word());
        break;
      }
      default:
        request->insert(at, Word());
        break;
    }
  }

  Bytes Word() { return kWords[Below(std::size(kWords))]; }

  std::mt19937_64 random_;
  const std::vector<testing::Case> cases_;
};

TEST(HeadDifferentialTest, TheParserAgreesWithTheReferenceOnMutatedRequests) {
  const uint64_t seed = FromEnvironment("HEAD_SEED", 20240607);
  const uint64_t rounds = FromEnvironment("HEAD_ROUNDS", 200'000);
  Mutator mutator(seed);
  for (uint64_t round = 0; round < rounds; ++round) {
    const std::string request = mutator.Next();
    const std::vector<size_t> cuts = mutator.Cuts(request.size());
    const size_t limit = mutator.Below(4) == 0 ? 1 + mutator.Below(request.size() + 8) : 4096;
    ASSERT_EQ(testing::Disagreement(request, cuts, limit), "")
        << "seed " << seed << " round " << round << " limit " << limit << ":\n"
        << absl::CEscape(request);
  }
}

}  // namespace
}  // namespace pure::http1
