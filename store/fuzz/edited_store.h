#pragma once

// Stores that a fuzzer's input changes. The input does not hold a store but says how to change one
// that was made just now, so that it is small, and stays good when the format moves on.
//
// Thread: any.

#include "runtime/bytes.h"
#include "store/simulated/directory_files.h"

namespace pure::store {

// Made once: an empty directory, one that was closed, one that was killed, one whose repair was cut
// off.
inline constexpr size_t kBaseStores = 4;
// REQUIRES: number < kBaseStores.
const DirectoryFiles& BaseStore(size_t number);

// A base store after edits. Octet 0: which one; octet 1: whether checksums are made to hold again
// (reseal.h); then edits of 8 octets (what, which file, place, size), some with octets that follow.
DirectoryFiles EditedStore(Bytes input);
bool IsResealed(Bytes input);

// Puts octets into `bytes`: of each three in `edits`, two are the place and one is the value.
void Overlay(Bytes edits, std::string* bytes);

}  // namespace pure::store
