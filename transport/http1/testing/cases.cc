#include "transport/http1/testing/cases.h"

#include <fstream>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "runtime/check.h"

namespace pure::http1::testing {

std::vector<Case> LoadCases() {
  std::vector<Case> cases;
  std::ifstream table("tests/conformance/case_table.txt");
  std::string line;
  while (std::getline(table, line)) {
    const std::vector<std::string> columns = absl::StrSplit(line, '\t');
    PURE_CHECK(columns.size() == 4, "a case has not four columns");
    Case found{columns[0], columns[1], {}, {}};
    PURE_CHECK(absl::HexStringToBytes(columns[2], &found.request), "a request is no hexadecimal");
    for (const auto& text : absl::StrSplit(columns[3], ',', absl::SkipEmpty())) {
      uint32_t status = 0;
      PURE_CHECK(absl::SimpleAtoi(text, &status), "a status is no number");
      found.statuses.push_back(static_cast<uint16_t>(status));
    }
    cases.push_back(std::move(found));
  }
  PURE_CHECK(!cases.empty(), "the table of cases is missing");
  return cases;
}

}  // namespace pure::http1::testing
