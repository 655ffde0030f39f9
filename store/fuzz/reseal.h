#pragma once

// Makes checksums hold again that an edit broke, so that a fuzzer comes to what lies behind them.
// What is stored as a value keeps its checksum.
//
// Thread: any; no state.

#include <string>

#include "store/simulated/directory_files.h"

namespace pure::store {

void ResealManifest(std::string* manifest);
// REQUIRES: a segment's header, or shorter.
void ResealSegmentHeader(std::string* block);
// REQUIRES: a frame's header, or shorter.
void ResealFrameHeader(std::string* header);
// The manifest, and in each segment the header and every frame, with its chain to the one before.
void Reseal(DirectoryFiles* files);

}  // namespace pure::store
