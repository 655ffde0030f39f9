#pragma once

// For tests: what a browser makes of a page. The tokenizer of the HTML standard ("HTML", WHATWG,
// section 13.2.5), state by state and with all its leniency, so that it shares no thought with the
// walker that it judges.

#include <string>
#include <utility>
#include <vector>

#include "runtime/bytes.h"

namespace pure::modules {

struct ReferenceTag {
  std::string name;                                             // with a / before it for an end tag
  std::vector<std::pair<std::string, std::string>> attributes;  // values with references decoded
};

// `raw`: whether scripts, titles and the like are read as such in svg and math as well, as where
// something has ended these.
std::vector<ReferenceTag> TokenizeAsBrowser(Bytes page, bool raw);

// As browsers read the address of a link on https://own.example/page: its scheme and host.
std::pair<std::string, std::string> LeadsTo(Bytes address);

}  // namespace pure::modules
