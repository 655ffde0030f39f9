#include "tests/golden/golden_text.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "runtime/check.h"

namespace pure::store {
namespace {

constexpr size_t kLineBytes = 32;

}  // namespace

std::string ToGoldenText(const DirectoryFiles& files) {
  std::string text;
  for (const auto& [name, content] : files) {
    absl::StrAppend(&text, "file ", name, " ", content.size(), "\n");
    for (size_t offset = 0; offset < content.size(); offset += kLineBytes) {
      const Bytes line = Bytes(content).substr(offset, kLineBytes);
      if (line.find_first_not_of('\0') == Bytes::npos) continue;
      absl::StrAppend(&text, absl::Hex(offset), " ", absl::BytesToHexString(line), "\n");
    }
  }
  return text;
}

DirectoryFiles FromGoldenText(Bytes text) {
  DirectoryFiles files;
  std::string* content = nullptr;
  for (const Bytes line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::vector<Bytes> words = absl::StrSplit(line, ' ');
    size_t size = 0;
    uint64_t offset = 0;
    std::string bytes;
    if (words.size() == 3 && words[0] == "file" && absl::SimpleAtoi(words[2], &size)) {
      content = &files[std::string(words[1])];
      content->resize(size);
      continue;
    }
    PURE_CHECK(content != nullptr && words.size() == 2 && absl::SimpleHexAtoi(words[0], &offset) &&
                   absl::HexStringToBytes(words[1], &bytes) &&
                   offset + bytes.size() <= content->size(),
               "a line of golden text");
    content->replace(offset, bytes.size(), bytes);
  }
  return files;
}

}  // namespace pure::store
