#pragma once

// The ids of chunks: numbers that grow along a sequence, with room between them for chunks that
// come later. Most come at one end, or one behind the other at one place, as keys in an order do:
// then the new one stays near its neighbour, so that the room lasts.
//
// Thread: any; no state.

#include <algorithm>
#include <cstdint>
#include <limits>

namespace pure::modules {

// The ids that the new one is to stand between.
struct ChunkGap {
  uint64_t before = 0;                                     // 0: there is none before
  uint64_t behind = std::numeric_limits<uint64_t>::max();  // as great: there is none behind
};

inline constexpr uint64_t kFirstChunkId = uint64_t{1} << 63;
inline constexpr uint64_t kChunkIdStep = uint64_t{1} << 40;

// A small part of so much room, but less than all of it; 0: there is none.
inline uint64_t ChunkIdStep(uint64_t room) {
  constexpr uint64_t kPart = 1024;
  return room < 2 ? 0 : std::clamp<uint64_t>(room / kPart, 1, kChunkIdStep);
}

// For a new chunk where rows come in: near to its neighbour. 0: there is no id left.
inline uint64_t IdBehind(uint64_t id, ChunkGap gap) {
  const uint64_t step = ChunkIdStep(gap.behind - id);
  return step == 0 ? 0 : id + step;
}
inline uint64_t IdBefore(uint64_t id, ChunkGap gap) {
  const uint64_t step = ChunkIdStep(id - gap.before);
  return step == 0 ? 0 : id - step;
}

// For the part of a chunk where rows do not come in: far from the other part, which keeps the id.
inline uint64_t IdFarBehind(uint64_t id, ChunkGap gap) {
  if (gap.behind == ChunkGap().behind) return IdBehind(id, gap);
  const uint64_t step = ChunkIdStep(gap.behind - id);
  return step == 0 ? 0 : gap.behind - step;
}
inline uint64_t IdFarBefore(uint64_t id, ChunkGap gap) {
  if (gap.before == ChunkGap().before) return IdBefore(id, gap);
  const uint64_t step = ChunkIdStep(id - gap.before);
  return step == 0 ? 0 : gap.before + step;
}

}  // namespace pure::modules
