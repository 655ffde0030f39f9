#pragma once

// The wire cases of tests/conformance that are one piece of bytes, for tests of what reads those
// bytes.

#include <cstdint>
#include <string>
#include <vector>

namespace pure::http1::testing {

struct Case {
  std::string id;
  std::string category;
  std::string request;             // revision 7 stands for the current one
  std::vector<uint16_t> statuses;  // final ones, in order, that a server answers
};

// All of them. Stops the test program when the table is not there.
std::vector<Case> LoadCases();

}  // namespace pure::http1::testing
