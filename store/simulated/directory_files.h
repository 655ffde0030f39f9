#pragma once

// DirectoryFiles: a directory as plain values, to change it in ways that no file system would, and
// to put it back on a disk.
//
// Thread: any; no state.

#include <map>
#include <string>

#include "store/simulated/disk_image.h"

namespace pure::store {

// Content by name.
using DirectoryFiles = std::map<std::string, std::string>;

// As reads show them.
DirectoryFiles FilesOf(const DiskImage& image);

// A disk with these files, all of it durable. REQUIRES: plain names (files.h).
DiskImage ImageOf(const DirectoryFiles& files);

}  // namespace pure::store
