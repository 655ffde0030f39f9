#pragma once

// HtmlContext: where in an HTML page each hole of a template stands, and so how it is escaped; and
// what is refused because nothing makes a hole safe there: names of tags and attributes, attributes
// without quotes, scripts, styles, comments, addresses of programs. What blocks leave out or repeat
// is followed as well: the page is in the same place whichever way it went.
//
// Thread: any; no state. Cost: linear.

#include <vector>

#include "modules/diagnostics.h"
#include "modules/templates/escape.h"
#include "modules/templates/template_scanner.h"

namespace pure::modules {

// The escape of each hole, by the index of its segment; others have kPlain. Problems are reported.
// REQUIRES: blocks open and close as they should.
std::vector<Escape> FindHtmlEscapes(const std::vector<Segment>& segments, Diagnostics* diagnostics);

}  // namespace pure::modules
