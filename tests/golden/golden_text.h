#pragma once

// GoldenText: the files of a store as text, which a person can look at and a repository can keep:
//
//     file NAME SIZE          one for each file, in the order of their names
//     OFFSET HEX              its bytes that are not all zero, at most 32 a line; OFFSET in hex
//
// Thread: any; no state.

#include <string>

#include "runtime/bytes.h"
#include "store/simulated/directory_files.h"

namespace pure::store {

std::string ToGoldenText(const DirectoryFiles& files);
// REQUIRES: text that ToGoldenText made.
DirectoryFiles FromGoldenText(Bytes text);

}  // namespace pure::store
