#pragma once

// What the names of elements and attributes mean for a template ("HTML", WHATWG, section 13 and the
// index of attributes). Names are in lower case.
//
// Thread: any; no state.

#include <cstdint>

#include "runtime/bytes.h"

namespace pure::modules {

// How what follows the start tag is read.
enum class ElementContent : uint8_t {
  kMarkup,
  kRaw,      // script, style ...: octets up to the end tag
  kText,     // title, textarea: text, but no tags
  kForeign,  // svg, math: markup with other rules for some elements
  kNoEnd,    // plaintext: nothing ends it
};

ElementContent ContentOf(Bytes element);

// Whether it keeps its place in svg and math, and its content is read there as elsewhere. Others
// end them, or begin HTML within them.
bool MayStandInForeign(Bytes element);

enum class AttributeHole : uint8_t {
  kText,
  kUrl,
  kPath,     // an address whose scheme and host are the template's own: what it loads is trusted
  kRefused,  // it is a program, or is read in another way than as a text
};

// Whether a hole may stand in the value of an attribute, and as what.
AttributeHole HoleIn(Bytes element, Bytes attribute, bool in_foreign);

}  // namespace pure::modules
