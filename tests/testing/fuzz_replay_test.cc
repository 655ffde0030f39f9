// Runs a fuzz entry on its committed corpus, and on mutations of it. The entry stops the program
// when something is wrong, so returning is passing. See pure_fuzz in tools/pure.bzl.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/effort.h"
#include "tests/testing/seeded_entropy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace pure::testing {
namespace {

constexpr uint64_t kMutations = 3000;
constexpr size_t kInputBytesMax = 4096;

void RunEntry(const std::string& input) {
  (void)LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

std::vector<std::string> Corpus() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(PURE_FUZZ_CORPUS, error)) {
    names.push_back(entry.path().string());
  }
  std::sort(names.begin(), names.end());  // the same seed is the same run
  std::vector<std::string> inputs;
  for (const std::string& name : names) {
    std::ifstream stream(name, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return inputs;
}

void Mutate(SeededEntropy* random, const std::vector<std::string>& corpus, std::string* input) {
  const size_t at = random->Below(input->size() + 1);
  const size_t size = random->Below(input->size() - at + 1);
  switch (random->Below(5)) {
    case 0:
      input->insert(at, 1, static_cast<char>(random->Next()));
      return;
    case 1:
      input->erase(at, size);
      return;
    case 2: {
      const std::string& other = corpus[random->Below(corpus.size())];
      input->replace(at, size, other, 0, random->Below(other.size() + 1));
      return;
    }
    case 3:
      input->insert(at, input->substr(at, size));
      return;
    case 4:
      if (at < input->size()) (*input)[at] = static_cast<char>(random->Next());
      return;
  }
}

TEST(FuzzReplayTest, TheEntryHoldsOnTheCorpusAndOnMutationsOfIt) {
  const std::vector<std::string> corpus = Corpus();
  ASSERT_GE(corpus.size(), 3u) << "no corpus in " << PURE_FUZZ_CORPUS;
  RunEntry("");
  for (const std::string& input : corpus) RunEntry(input);
  const uint64_t mutations = kMutations * Effort();
  for (uint64_t i = 0; i < mutations; ++i) {
    SeededEntropy random(FirstSeed() + i);
    std::string input = corpus[random.Below(corpus.size())];
    for (uint64_t left = 1 + random.Below(8); left > 0; --left) Mutate(&random, corpus, &input);
    input.resize(std::min(input.size(), kInputBytesMax));
    RunEntry(input);
  }
  std::printf("%zu inputs and %llu mutations\n", corpus.size(),
              static_cast<unsigned long long>(mutations));
}

}  // namespace
}  // namespace pure::testing
