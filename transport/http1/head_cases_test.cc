// Every wire case that is one piece of bytes, as far as its heads decide it: whole, cut at each
// byte, and byte by byte.

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/bytes.h"
#include "transport/http1/answer.h"
#include "transport/http1/head.h"
#include "transport/http1/testing/agreement.h"
#include "transport/http1/testing/cases.h"

namespace pure::http1 {
namespace {

constexpr size_t kLimitBytes = 4096;

// Cases whose answer is an error of whoever reads the target, the condition or the length: their
// heads are well.
bool DecidedLater(const std::string& id) {
  static const auto* const kIds = new std::set<std::string>{
      "base-key-65", "head-cl-body", "method-lower",   "method-long",   "star-get",
      "key-slash",   "key-dot",      "dotdot",         "pct-slash",     "pct-nul",
      "abs-https",   "key-huge",     "unknown-501",    "trace-501",     "im-star",
      "im-list",     "im-unquoted",  "im-half-quoted", "im-lone-quote", "im-dup",
      "im-and-inm",  "put-no-length"};
  return kIds->count(id) == 1;
}

bool IsRefusalStatus(uint16_t status) {
  switch (status) {
    case 400:
    case 411:
    case 414:
    case 417:
    case 431:
    case 501:
    case 505:
      return true;
    default:
      return false;
  }
}

// What the parser says of one request after the other, bodies passed over: 0 for a head that is
// well, else the status.
std::vector<uint16_t> Verdicts(Bytes bytes) {
  std::vector<uint16_t> verdicts;
  HeadParser parser(kLimitBytes);
  while (!bytes.empty()) {
    Head head;
    const ParseResult result = parser.Parse(bytes, &head);
    if (result == ParseResult::kIncomplete) break;
    if (result == ParseResult::kRefused) {
      verdicts.push_back(RefusalStatus(parser.refusal()));
      break;
    }
    verdicts.push_back(0);
    parser.Reset();
    bytes.remove_prefix(head.size_bytes);
    bytes.remove_prefix(std::min<uint64_t>(head.content_length, bytes.size()));
  }
  return verdicts;
}

TEST(HeadCasesTest, EachHeadIsRefusedOrCompleteAsTheCaseHasIt) {
  for (const testing::Case& found : testing::LoadCases()) {
    const std::vector<uint16_t> verdicts = Verdicts(found.request);
    for (size_t i = 0; i < found.statuses.size(); ++i) {
      const uint16_t status = found.statuses[i];
      if (status == 408) continue;  // a head that does not end
      const bool refused = IsRefusalStatus(status) && !DecidedLater(found.id);
      ASSERT_LT(i, verdicts.size()) << found.id;
      EXPECT_EQ(verdicts[i], refused ? status : 0) << found.id << ", request " << i + 1;
    }
  }
}

TEST(HeadCasesTest, EverySplitOfACaseGivesWhatTheReferenceSays) {
  for (const testing::Case& found : testing::LoadCases()) {
    const Bytes request = Bytes(found.request).substr(0, kLimitBytes + 4);
    // The reference starts anew at each cut: of long cases, the first and the last bytes will do.
    constexpr size_t kEndBytes = 60;
    for (size_t cut = 0; cut < request.size(); ++cut) {
      if (cut == kEndBytes && request.size() > 1000) cut = request.size() - kEndBytes;
      const size_t cuts[] = {cut};
      ASSERT_EQ(testing::Disagreement(request, cuts, kLimitBytes), "")
          << found.id << " cut at " << cut;
    }
  }
}

TEST(HeadCasesTest, ACaseThatComesByteByByteGivesTheSame) {
  for (const testing::Case& found : testing::LoadCases()) {
    const Bytes request = Bytes(found.request).substr(0, 600);
    std::vector<size_t> cuts;
    for (size_t cut = 1; cut < request.size(); ++cut) cuts.push_back(cut);
    EXPECT_EQ(testing::Disagreement(request, cuts, kLimitBytes), "") << found.id;
  }
}

TEST(HeadCasesTest, ALimitAtEachByteOfACaseIsMetTheSameWay) {
  for (const testing::Case& found : testing::LoadCases()) {
    const Bytes request = Bytes(found.request).substr(0, 600);
    for (size_t limit = 1; limit <= request.size() + 1; ++limit) {
      ASSERT_EQ(testing::Disagreement(request, {}, limit), "") << found.id << " limit " << limit;
    }
  }
}

}  // namespace
}  // namespace pure::http1
