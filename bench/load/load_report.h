#pragma once

// How a load's report is written: a line of a table for people, JSON for programs.

#include <string>
#include <string_view>

#include "bench/load/load_options.h"

namespace pure::bench {

// The table's head, without a line end.
std::string TableHead();
// One line under it. `name` says what was loaded.
std::string TableLine(std::string_view name, const LoadReport& report);

// One JSON object in one line, without a line end. Times are in microseconds.
std::string ReportJson(std::string_view name, const LoadOptions& options, const LoadReport& report);

// The number of answers that no load should get: other than 200 and, for documents, 404, 412, 503
// and 507.
uint64_t UnexpectedAnswers(const LoadReport& report);

}  // namespace pure::bench
