#include "modules/rows/rows.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
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
