#include "transport/answers.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "runtime/bytes.h"
#include "runtime/result.h"

namespace pure::transport {
namespace {

// The table of docs/http.md. A new result has to be added here too.
TEST(AnswersTest, EachResultHasItsStatusAndItsWord) {
  struct Row {
    Result result;
    uint16_t status;
    bool retry_after;
    Bytes error;
  };
  constexpr Row kRows[] = {
      {Result::kOk, 200, false, "none"},
      {Result::kNotFound, 404, false, "not_found"},
      {Result::kConflict, 412, false, "conflict"},
      {Result::kBusy, 503, true, "store_busy"},
      {Result::kBudget, 503, true, "payload_budget"},
      {Result::kAllocation, 503, true, "allocation"},
      {Result::kStopped, 503, true, "stopped"},
      {Result::kDenied, 403, false, "denied"},
      {Result::kLimit, 413, false, "limit"},
      {Result::kFault, 409, false, "fault"},
      {Result::kType, 422, false, "type"},
      {Result::kUncertain, 500, false, "durability_unknown"},
      {Result::kFull, 507, false, "storage_full"},
      {Result::kStorage, 500, false, "storage"},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(StatusOf(row.result).status, row.status) << row.error;
    EXPECT_EQ(StatusOf(row.result).retry_after, row.retry_after) << row.error;
    EXPECT_EQ(ResultName(row.result), row.error);
  }
}

}  // namespace
}  // namespace pure::transport
