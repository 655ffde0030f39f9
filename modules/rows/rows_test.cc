#include "modules/rows/rows.h"

#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "gtest/gtest.h"
#include "modules/rows/row.h"
#include "tests/testing/seeded_entropy.h"

namespace pure::modules {
namespace {

using Model = std::vector<std::string>;

Model Contents(const Rows& rows) {
  Model contents;
  for (size_t i = 0; i < rows.size();) {
    Bytes chunk;
    size_t position = 0;
    rows.ChunkAt(i, &chunk, &position);
    const BlockView view(chunk);
    for (; position < view.size(); ++position, ++i) contents.emplace_back(view.row(position));
  }
  return contents;
}

// What a store holds after all differences were written to it.
using Stored = std::map<uint64_t, std::string>;
void Write(const Rows& before, const Rows& now, Stored* stored) {
  uint64_t last = 0;
  Rows::Diff(before, now, [&](const Rows::Chunk& chunk) {
    EXPECT_GT(chunk.id, last) << "ids grow";
    last = chunk.id;
    if (chunk.block.empty()) {
      EXPECT_EQ(stored->erase(chunk.id), 1u);
    } else {
      (*stored)[chunk.id] = std::string(chunk.block);
    }
  });
}

Rows Loaded(const Stored& stored) {
  std::vector<Rows::Chunk> chunks;
  for (const auto& [id, block] : stored) chunks.push_back({id, block});
  return Rows::OfChunks(chunks);
}

TEST(RowsTest, AnyRunOfChangesIsThatOfAModelAndOldOnesStayAsTheyWere) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    pure::testing::SeededEntropy random(seed);
    Rows rows;
    Rows saved;
    Stored stored;
    Model model;
    std::vector<std::pair<Rows, Model>> kept;
    for (int step = 0; step < 2000; ++step) {
      const size_t sizes[] = {0, 30, 200, 3000};
      const std::string row(sizes[random.Below(seed % 2 == 0 ? 3 : 4)],
                            static_cast<char>('a' + random.Below(26)));
      const uint64_t what = random.Below(10);
      const size_t at = random.Below(model.size() + 1);
      const auto place = model.begin() + static_cast<ptrdiff_t>(at);
      if (what < 5) {
        rows.Push(row);
        model.push_back(row);
      } else if (what < 6) {
        rows.Insert(at, row);
        model.insert(place, row);
      } else if (at < model.size() && what < 8) {
        rows.Set(at, row);
        *place = row;
      } else if (at < model.size()) {
        rows.Remove(at);
        model.erase(place);
      }
      ASSERT_EQ(rows.size(), model.size());
      if (at < model.size()) {
        ASSERT_EQ(rows.At(at), model[at]);
      }
      if (random.OneIn(40)) {
        Write(saved, rows, &stored);
        saved = rows;
        kept.emplace_back(rows, model);
        ASSERT_EQ(Contents(Loaded(stored)) == model, true) << "seed " << seed << " step " << step;
      }
    }
    ASSERT_EQ(Contents(rows) == model, true);
    for (const auto& [old, was] : kept) ASSERT_EQ(Contents(old) == was, true);
    // What was loaded goes on.
    Write(saved, rows, &stored);
    Rows loaded = Loaded(stored);
    const Rows before = loaded;
    loaded.Push("end");
    loaded.Remove(0);
    Write(before, loaded, &stored);
    model.emplace_back("end");
    model.erase(model.begin());
    ASSERT_EQ(Contents(Loaded(stored)) == model, true);
  }
}

TEST(RowsTest, AChangeOfManyRowsTouchesFewChunks) {
  Rows rows;
  const std::string row(100, 'r');
  for (int i = 0; i < 1'000'000; ++i) rows.Push(row);
  ASSERT_EQ(rows.size(), 1'000'000u);
  const auto written = [&rows](auto change) {
    const Rows before = rows;
    change();
    size_t bytes = 0;
    size_t chunks = 0;
    Rows::Diff(before, rows, [&](const Rows::Chunk& chunk) {
      bytes += chunk.block.size();
      ++chunks;
    });
    EXPECT_LE(chunks, 2u);
    return bytes;
  };
  EXPECT_LE(written([&] { rows.Push(row); }), 4500u);
  EXPECT_LE(written([&] { rows.Set(500'000, row + row); }), 4500u);
  EXPECT_LE(written([&] { rows.Remove(300'000); }), 4500u);
  EXPECT_LE(written([&] { rows.Insert(700'000, row); }), 4500u);
  EXPECT_LE(written([&] { rows.Remove(0); }), 4500u);
}

// Where rows are put in: each place before what is put in at a step.
struct Pattern {
  const char* name;
  std::function<size_t(size_t step, size_t size)> place;
};

class RowsPatternTest : public ::testing::TestWithParam<Pattern> {};

// Wherever rows are put in, ids do not run out, chunks stay small, and few of them are written.
TEST_P(RowsPatternTest, ChunksStaySmallAndFewAreWritten) {
  Rows rows;
  const std::string row(100, 'r');
  for (int i = 0; i < 2000; ++i) rows.Push(row);
  size_t most = 0;
  size_t all = 0;
  constexpr size_t kSteps = 60'000;
  for (size_t step = 0; step < kSteps; ++step) {
    const Rows before = rows;
    rows.Insert(GetParam().place(step, rows.size()), row);
    size_t bytes = 0;
    Rows::Diff(before, rows, [&](const Rows::Chunk& chunk) {
      bytes += chunk.block.size();
      EXPECT_LE(chunk.block.size(), 4200u);
    });
    most = std::max(most, bytes);
    all += bytes;
  }
  EXPECT_EQ(rows.size(), 2000 + kSteps);
  EXPECT_LE(most, 16u << 10) << GetParam().name;
  EXPECT_LE(all / kSteps, 4500u) << GetParam().name;
}

INSTANTIATE_TEST_SUITE_P(
    Each, RowsPatternTest,
    ::testing::Values(
        Pattern{"Front", [](size_t, size_t) { return 0; }},
        Pattern{"End", [](size_t, size_t size) { return size; }},
        Pattern{"AscendingInTheMiddle", [](size_t step, size_t) { return 1000 + step; }},
        Pattern{"DescendingInTheMiddle", [](size_t, size_t) { return 1000; }},
        Pattern{"FromBothSidesOfAPlace", [](size_t step, size_t) { return 1000 + step / 2; }},
        Pattern{"BeforeTheLast", [](size_t, size_t size) { return size - 1; }},
        Pattern{"BehindTheFirst", [](size_t, size_t) { return 1; }}),
    [](const auto& each) { return std::string(each.param.name); });

// Stored sequences may have any ids.
TEST(RowsTest, WhereThereIsNoIdLeftSomeChunksGetNewOnes) {
  constexpr uint64_t kLast = std::numeric_limits<uint64_t>::max();
  const std::string row(1000, 'r');
  Rows one;
  one.Push(row);
  one.Push(row);
  Bytes block;
  size_t position = 0;
  one.ChunkAt(0, &block, &position);
  for (const auto& ids :
       {std::vector<uint64_t>{1, 2, 3, 4, 5}, std::vector<uint64_t>{kLast - 2, kLast - 1, kLast},
        std::vector<uint64_t>{1}, std::vector<uint64_t>{kLast},
        std::vector<uint64_t>{7, 8, kLast}}) {
    for (size_t place = 0; place <= 2 * ids.size(); ++place) {
      std::vector<Rows::Chunk> chunks;
      Stored stored;
      for (const uint64_t id : ids) {
        chunks.push_back({id, block});
        stored[id] = std::string(block);
      }
      Rows rows = Rows::OfChunks(chunks);
      Model model = Contents(rows);
      for (int i = 0; i < 50; ++i) {
        const Rows before = rows;
        const std::string next = row + absl::StrCat(i);
        rows.Insert(place, next);
        model.insert(model.begin() + static_cast<ptrdiff_t>(place), next);
        Write(before, rows, &stored);
        ASSERT_EQ(Contents(Loaded(stored)) == model, true) << ids[0] << " at " << place;
      }
    }
  }
}

// A queue: what is at its front goes while others come behind it.
TEST(RowsTest, AQueueStaysSmall) {
  Rows rows;
  const std::string row(100, 'r');
  for (int i = 0; i < 100; ++i) rows.Push(row);
  for (int i = 0; i < 100'000; ++i) {
    rows.Push(row);
    rows.Remove(0);
  }
  size_t chunks = 0;
  Rows::Diff(Rows(), rows, [&chunks](const Rows::Chunk&) { ++chunks; });
  EXPECT_LE(chunks, 10u);
}

TEST(RowsTest, OtherThreadsReadCopiesWhileOneChanges) {
  Rows rows;
  for (int i = 0; i < 3000; ++i) rows.Push(std::string(100, 'r'));
  absl::Mutex mutex;
  Rows shared = rows;
  std::atomic<bool> ended{false};
  std::vector<std::thread> readers;
  for (int t = 0; t < 2; ++t) {
    readers.emplace_back([&] {
      while (!ended.load()) {
        Rows copy;
        {
          absl::MutexLock lock(&mutex);
          copy = shared;
        }
        const char first = copy.At(0)[0];
        for (size_t i = 0; i < copy.size(); i += 100) EXPECT_EQ(copy.At(i)[0], first);
      }
    });
  }
  for (int turn = 0; turn < 20; ++turn) {
    for (size_t i = 0; i < rows.size(); ++i) {
      rows.Set(i, std::string(100, static_cast<char>('a' + turn)));
    }
    absl::MutexLock lock(&mutex);
    shared = rows;
  }
  ended.store(true);
  for (std::thread& reader : readers) reader.join();
}

TEST(RowsTest, RowsInOrderAreFound) {
  Rows rows;
  for (int i = 0; i < 1000; ++i) rows.Push(absl::StrCat("k", 10000 + 2 * i));
  for (int i = 0; i < 2000; ++i) {
    const std::string key = absl::StrCat("k", 10000 + i);
    EXPECT_EQ(rows.LowerBound([&key](Bytes row) { return row.compare(key); }),
              static_cast<size_t>((i + 1) / 2));
  }
}

}  // namespace
}  // namespace pure::modules
