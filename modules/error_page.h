#pragma once

// ErrorPage: what a person is told with a browser, in place of JSON.
//
// Thread: any.

#include <string>

#include "runtime/bytes.h"

namespace pure::modules {

// A short HTML page; the texts are escaped.
std::string ErrorPage(Bytes title, Bytes text);

}  // namespace pure::modules
