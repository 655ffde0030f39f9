#pragma once

// A soak's report, for people and for programs.

#include <string>

#include "bench/store/soak.h"

namespace pure::bench {

// Lines with words and units.
std::string SoakTable(const SoakOptions& options, const SoakReport& report);

// One line. Keys end in their unit.
std::string SoakJson(const SoakOptions& options, const SoakReport& report);

// p99 of commits beside compaction over that of the others; 0 when there are none of a kind.
double SoakRatio(const SoakReport& report);

}  // namespace pure::bench
