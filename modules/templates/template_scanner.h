#pragma once

// TemplateScanner: cuts what stands between <<< and >>> into texts, holes and the marks of blocks.
//
//   {expr} {expr:format}                a hole; the format is a name behind the last colon
//   {for clause} ... {else} ... {end}   once for each element; else for when there is none
//   {if expr} ... {else} ... {end}
//   {{ }}                               braces
//
// A line that holds nothing but marks of blocks leaves no empty line; neither does the end of the
// line with the <<<.
//
// Thread: any; no state. Lifetime: segments point into the text. Cost: linear.

#include <cstdint>
#include <vector>

#include "modules/diagnostics.h"
#include "runtime/bytes.h"

namespace pure::modules {

enum class SegmentKind : uint8_t { kText, kHole, kFor, kIf, kElse, kEnd };

struct Segment {
  SegmentKind kind = SegmentKind::kText;
  uint32_t offset = 0;  // of `text` in the module
  Bytes text;           // as it is; the expression; the clause; the condition
  Bytes format;         // of a hole; may be empty
  uint32_t format_offset = 0;
};

// `module`: the whole text; the template is [begin, end) of it. Braces that do not match are
// reported, and nothing is returned then.
std::vector<Segment> ScanTemplate(Bytes module, uint32_t begin, uint32_t end,
                                  Diagnostics* diagnostics);

}  // namespace pure::modules
