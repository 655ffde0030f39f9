#pragma once

// DamageJudge: opens a store with damaged files and reads everything, to see whether the store kept
// its promise (D8): each answer is right, or the read is refused, or the store does not open and
// changes nothing.
//
// Thread: one thread's. Lifetime: borrows the subject.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/base/attributes.h"
#include "store/simulated/directory_files.h"
#include "store/simulated/disk_image.h"
#include "store/simulated/simulated_disk.h"
#include "tests/durability/damage_subject.h"

namespace pure::durability {

// What the store did with a damage. A breach of its promise is none of these.
enum class Outcome : uint8_t {
  kRefusedAtOpen,
  kRefusedAtRead,  // some value is, all else is right
  kReported,       // every answer is right, Verify tells of it
  kHarmless,       // nothing to see
  kOlder,          // an older state, where the exception allows it
};
inline constexpr size_t kOutcomes = static_cast<size_t>(Outcome::kOlder) + 1;

// The one exception (docs/durability.md): after a stop that was none, the newest frame, if the
// manifest does not name it as saved, can not be told from one that was being written. Where a
// damage may have undone it, this older state is the right one as well. Null: not here.
using OlderState = const State*;

class DamageJudge {
 public:
  explicit DamageJudge(const DamageSubject& subject ABSL_ATTRIBUTE_LIFETIME_BOUND)
      : subject_(subject), newest_frame_(NewestFrameOf(store::FilesOf(subject.image))) {}

  // What the store may show when these bytes of a file have changed: the state before the newest
  // save, if they lie in the newest frame and the manifest does not name that as saved.
  OlderState OlderWithout(const std::string& file, uint64_t offset, uint64_t size_bytes) const;
  // Empty: the promise was kept. `image`: the subject's, damaged.
  std::string Judge(const store::DiskImage& image, OlderState older);

  uint64_t count(Outcome outcome) const { return counts_[static_cast<size_t>(outcome)]; }
  uint64_t judged() const;
  // "5 damages: 3 refused at open, ...".
  std::string Describe() const;

 private:
  std::string OpenAndRead(store::SimulatedDisk* disk, OlderState older, Outcome* outcome) const;

  const DamageSubject& subject_;
  const NewestFrame newest_frame_;
  std::array<uint64_t, kOutcomes> counts_{};
};

}  // namespace pure::durability
