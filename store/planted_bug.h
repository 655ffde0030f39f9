#pragma once

// Planted bugs: what the tests of the store are worth. A build with
//
//   --per_file_copt=store/FILE.cc@-DPURE_PLANTED_BUG=kNAME
//
// has one of these bugs at a time; tools/planted_bugs/run.py builds each, and says which test has
// caught it. In every other build Planted is false when compiled, so nothing of them is left.

namespace pure::store {

enum class Bug {
  kNone,
  // log.cc
  kAnswerBeforeSync,  // a save counts before it is synced
  kIgnoreSyncResult,  // or though its sync failed
  kRetrySync,         // a failed sync is tried again
  kFullSyncIsClean,   // no space at a sync is taken for a clean refusal
  // committer.cc
  kPublishBeforeSync,  // looks see a save before it is durable
  kSealAlways,         // the tail is proved again and again
  // segment.cc
  kSkipDirectorySync,  // a new segment's name is not durable
  kUncheckedCut,       // a part of an extent gets a checksum of what was read
  // manifest.cc
  kRenameUnsynced,  // a manifest is renamed before its bytes are durable
  // log_upkeep.cc
  kUnlinkBeforeRename,    // a segment is removed before the manifest goes on without it
  kCheckpointClaimsMore,  // a checkpoint stands for frames that it does not hold
  // tail_scan.cc
  kCutAtBadFrame,   // acknowledged frames behind a bad one are dropped
  kAcceptOldSalt,   // bytes that another file left count as frames
  kSkipChainCheck,  // a frame need not follow the one before it
  // log_open.cc
  kTrustPageCache,  // unsealed frames are served as they were read
  // mover.cc
  kRecomputeChecksum,  // what moves is not checked, and gets a new checksum
  // compactor.cc
  kForgetErased,     // erased keys do not move
  kRemoveWhileRead,  // a segment goes while somebody reads it
  kRemoveUnmoved,    // or before what is live of it has moved
  // index.cc
  kMoveTakesRevision,  // a value that moves takes a new revision
  kKeepGone,           // at opening an entry whose segment is gone counts
  // checkpoint_format.cc
  kTrustCheckpoint,  // a checkpoint's blocks are not checked
  // extent_handle.cc
  kReleaseTwice,  // a lent extent is returned twice
  // frame_writer.cc
  kDirtyPadding,  // what a buffer held before is written behind a frame
};

#ifdef PURE_PLANTED_BUG
inline constexpr Bug kPlantedBug = Bug::PURE_PLANTED_BUG;
#else
inline constexpr Bug kPlantedBug = Bug::kNone;
#endif

constexpr bool Planted(Bug bug) { return kPlantedBug == bug; }

}  // namespace pure::store
