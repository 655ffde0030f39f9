// Prints a golden store of the format that this version writes: see README.md.

#include <cstdio>
#include <string>
#include <string_view>

#include "store/files.h"
#include "store/simulated/directory_files.h"
#include "store/simulated/simulated_disk.h"
#include "tests/golden/golden_saves.h"
#include "tests/golden/golden_text.h"

int main(int argc, char** argv) {
  const std::string_view how = argc == 2 ? argv[1] : "";
  if (how != "closed" && how != "killed") {
    std::fprintf(stderr, "usage: make_golden closed|killed\n");
    return 2;
  }
  pure::store::SimulatedDisk disk;
  pure::store::MakeGoldenStore(&disk, how == "closed");
  pure::store::DirectoryFiles files = pure::store::FilesOf(disk.KillImage());
  files.erase(std::string(pure::store::kLockFileName));
  std::fputs(pure::store::ToGoldenText(files).c_str(), stdout);
  return 0;
}
