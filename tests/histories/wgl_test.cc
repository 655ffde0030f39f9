#include "tests/histories/wgl.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tests/histories/models.h"

namespace pure::histories {
namespace {

using Kind = CellModel::Kind;
using Cell = Operation<CellModel>;
using Cells = std::vector<Cell>;

Cell Add(int64_t number, int64_t answer, int64_t call_ns, int64_t return_ns) {
  return {{Kind::kAdd, number}, answer, call_ns, return_ns};
}
Cell Set(int64_t number, int64_t before, int64_t call_ns, int64_t return_ns) {
  return {{Kind::kSet, number}, before, call_ns, return_ns};
}
Cell View(int64_t answer, int64_t call_ns, int64_t return_ns) {
  return {{Kind::kView, 0}, answer, call_ns, return_ns};
}
Cell UnknownAdd(int64_t number, int64_t call_ns) { return {{Kind::kAdd, number}, {}, call_ns, 0}; }

TEST(WglTest, OneAfterTheOther) {
  EXPECT_TRUE(IsLinearizable(Cells{}));
  EXPECT_TRUE(
      IsLinearizable(Cells{Add(2, 2, 0, 1), View(2, 2, 3), Set(9, 2, 4, 5), View(9, 6, 7)}));
  EXPECT_FALSE(IsLinearizable(Cells{Add(2, 2, 0, 1), View(0, 2, 3)})) << "an old value is shown";
  EXPECT_FALSE(IsLinearizable(Cells{View(2, 0, 1), Add(2, 2, 2, 3)})) << "from the future";
  EXPECT_FALSE(IsLinearizable(Cells{Add(2, 2, 0, 1), Add(3, 3, 2, 3)})) << "a write is lost";
  EXPECT_FALSE(IsLinearizable(Cells{Add(2, 2, 0, 1), Set(5, 0, 2, 3)}));
}

TEST(WglTest, AtTheSameTimeInAnyOrder) {
  EXPECT_TRUE(IsLinearizable(Cells{Add(2, 5, 0, 10), Add(3, 3, 0, 10), View(3, 1, 9)}));
  EXPECT_TRUE(IsLinearizable(Cells{Add(2, 2, 0, 10), View(0, 1, 2), View(2, 3, 4)}));
  EXPECT_FALSE(IsLinearizable(Cells{Add(2, 2, 0, 10), View(2, 1, 2), View(0, 3, 4)}))
      << "what was shown goes back";
  EXPECT_FALSE(IsLinearizable(Cells{Add(2, 2, 0, 10), Add(3, 3, 0, 10)}));
  EXPECT_TRUE(IsLinearizable(Cells{Add(2, 2, 0, 5), View(0, 5, 6)})) << "they touch";
}

TEST(WglTest, WhatIsNotKnownMayHaveHappenedOrNot) {
  EXPECT_TRUE(IsLinearizable(Cells{UnknownAdd(2, 0), View(0, 1, 2), View(0, 50, 60)}));
  EXPECT_TRUE(IsLinearizable(Cells{UnknownAdd(2, 0), View(0, 1, 2), View(2, 50, 60)}));
  EXPECT_FALSE(IsLinearizable(Cells{UnknownAdd(2, 0), View(2, 1, 2), View(0, 50, 60)}));
  EXPECT_FALSE(IsLinearizable(Cells{View(2, 1, 2), UnknownAdd(2, 3)})) << "not before its call";
  EXPECT_FALSE(IsLinearizable(Cells{UnknownAdd(2, 0), View(4, 1, 2)})) << "only once";
}

TEST(WglTest, WhatAClientSentInAnOrderHappensInIt) {
  Cells cells{View(2, 0, 10), Add(2, 2, 0, 10)};
  EXPECT_TRUE(IsLinearizable(cells));
  cells[1].after = 1;
  EXPECT_FALSE(IsLinearizable(cells)) << "the view was sent first";
  cells[0].output = 0;
  EXPECT_TRUE(IsLinearizable(cells));
}

TEST(WglTest, ItGivesUpWhereThereIsTooMuchToTry) {
  Cells cells;
  for (int i = 0; i < 40; ++i) cells.push_back(UnknownAdd(int64_t{1} << i, 0));
  cells.push_back(View(-1, 1, 2));
  EXPECT_EQ(Wgl<CellModel>(cells, 10'000).Run(), Verdict::kGivenUp);
}

TEST(WglTest, Documents) {
  using Document = Operation<DocumentModel>;
  const auto put = [](uint64_t base, int64_t value, bool refused, uint64_t revision, int64_t ns) {
    return Document{{true, base, value}, DocumentModel::Output{refused, revision, 0}, ns, ns + 1};
  };
  const auto get = [](uint64_t revision, int64_t value, int64_t ns) {
    return Document{{}, DocumentModel::Output{false, revision, value}, ns, ns + 1};
  };
  using Documents = std::vector<Document>;
  EXPECT_TRUE(
      IsLinearizable(Documents{get(0, 0, 0), put(0, 7, false, 1, 10), put(0, 8, true, 1, 20),
                               put(1, 9, false, 2, 30), get(2, 9, 40)}));
  EXPECT_FALSE(IsLinearizable(Documents{put(0, 7, false, 1, 10), put(1, 8, true, 1, 20)}));
  EXPECT_FALSE(IsLinearizable(Documents{put(0, 7, false, 1, 10), put(0, 8, false, 2, 20)}));
  EXPECT_FALSE(IsLinearizable(Documents{put(0, 7, false, 1, 10), get(1, 8, 20)}));
  EXPECT_FALSE(IsLinearizable(Documents{put(0, 7, false, 1, 10), get(0, 0, 20)}));
  EXPECT_FALSE(IsLinearizable(Documents{put(0, 7, false, 2, 10)}));
}

// Tries every order of every subset of the unknown ones.
bool TryAll(const Cells& cells, std::vector<bool>* done, int64_t state) {
  bool any_left = false;
  int64_t first_return_ns = INT64_MAX;
  for (size_t i = 0; i < cells.size(); ++i) {
    if ((*done)[i] || !cells[i].output) continue;
    any_left = true;
    first_return_ns = std::min(first_return_ns, cells[i].return_ns);
  }
  if (!any_left) return true;
  for (size_t i = 0; i < cells.size(); ++i) {
    if ((*done)[i] || cells[i].call_ns > first_return_ns) continue;
    int64_t next = state;
    if (!CellModel::Step(cells[i].input, cells[i].output ? &*cells[i].output : nullptr, &next)) {
      continue;
    }
    (*done)[i] = true;
    if (TryAll(cells, done, next)) return true;
    (*done)[i] = false;
  }
  return false;
}

// Histories that happened on a real object, and such with one answer altered.
TEST(WglTest, ItSaysWhatTryingAllOrdersSays) {
  std::mt19937 random(8);
  int refused = 0;
  for (int round = 0; round < 4000; ++round) {
    const size_t count = 2 + random() % 6;
    Cells cells(count);
    std::vector<std::pair<int64_t, size_t>> moments;
    for (size_t i = 0; i < count; ++i) {
      cells[i].input = {static_cast<Kind>(random() % 3), static_cast<int64_t>(random() % 3)};
      cells[i].call_ns = static_cast<int64_t>(random() % 20);
      const auto moment = cells[i].call_ns + static_cast<int64_t>(random() % 10);
      cells[i].return_ns = moment + static_cast<int64_t>(random() % 10);
      moments.emplace_back(moment, i);
    }
    std::sort(moments.begin(), moments.end());
    int64_t state = 0;
    for (const auto& [moment, i] : moments) {
      const int64_t before = state;
      (void)CellModel::Step(cells[i].input, nullptr, &state);
      cells[i].output = cells[i].input.kind == Kind::kSet ? before : state;
    }
    for (Cell& cell : cells) {
      if (random() % 6 == 0) cell.output.reset();
    }
    ASSERT_TRUE(IsLinearizable(cells)) << "it happened";
    Cell& altered = cells[random() % count];
    if (!altered.output) continue;
    *altered.output += static_cast<int64_t>(random() % 5) - 2;
    std::vector<bool> done(count, false);
    const bool expected = TryAll(cells, &done, 0);
    ASSERT_EQ(IsLinearizable(cells), expected);
    refused += expected ? 0 : 1;
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace pure::histories
