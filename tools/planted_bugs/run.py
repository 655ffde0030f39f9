#!/usr/bin/env python3
"""Plants the bugs of store/planted_bug.h one at a time, and says which tests catch each.

    tools/planted_bugs/run.py [--list] [--only NAME] [--results FILE]

A bug is caught when one of the tests named for it is red; without any bug all of them are green,
which is checked first. Prints `caught N of N planted`; exit status 1 when that is not all. Builds in
the tree's own output folder, so that nothing else may build there meanwhile.
"""

import argparse
import json
import subprocess
import sys
import time
from typing import List, NamedTuple


class Bug(NamedTuple):
    name: str
    file: str  # the one that holds it, without store/ and .cc
    tests: List[str]  # the fastest first


_STORE = ["//store:extent_store_test"]
_DAMAGE = ["//store:extent_store_damage_test"]
_COMPACTION = ["//store:compaction_test"]
_CHECKPOINT = ["//store:checkpoint_test"]
_SHARED = ["//store:shared_extents_test"]
_CRASH = ["//tests/durability:crash_test"]
_FAULT = ["//tests/durability:fault_test"]

BUGS = [
    Bug("kAnswerBeforeSync", "log", _CRASH),
    Bug("kIgnoreSyncResult", "log", _STORE),
    Bug("kRetrySync", "log", _STORE),
    Bug("kFullSyncIsClean", "log", _FAULT),
    Bug("kPublishBeforeSync", "committer", _FAULT),
    Bug("kSealAlways", "committer", _STORE),
    Bug("kSkipDirectorySync", "segment", _CRASH),
    Bug("kUncheckedCut", "segment", _SHARED),
    Bug("kRenameUnsynced", "manifest", _CRASH),
    Bug("kUnlinkBeforeRename", "log_upkeep", _CRASH),
    Bug("kCheckpointClaimsMore", "log_upkeep", _CHECKPOINT),
    Bug("kCutAtBadFrame", "tail_scan", _DAMAGE),
    Bug("kAcceptOldSalt", "tail_scan", _SHARED),
    Bug("kSkipChainCheck", "tail_scan", _SHARED),
    Bug("kTrustPageCache", "log_open", _CRASH),
    Bug("kRecomputeChecksum", "mover", _COMPACTION),
    Bug("kForgetErased", "compactor", _COMPACTION),
    Bug("kRemoveWhileRead", "compactor", _COMPACTION),
    Bug("kRemoveUnmoved", "compactor", _COMPACTION),
    Bug("kMoveTakesRevision", "index", _COMPACTION),
    Bug("kKeepGone", "index", ["//store:index_test"]),
    Bug("kTrustCheckpoint", "checkpoint_format", _CHECKPOINT),
    Bug("kReleaseTwice", "extent_handle", _STORE),
    Bug("kDirtyPadding", "frame_writer", _STORE),
]

_TESTS_FAILED = 3  # Bazel's exit status


def _bazel_test(targets: List[str], flags: List[str]) -> int:
    command = ["./bazelw", "test", "--noshow_progress", "--color=no", "--keep_going"]
    return subprocess.run(
        command + flags + targets, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
    ).returncode


def _try(bug: Bug) -> str:
    """The test that catches it; empty: none."""
    define = f"--per_file_copt=store/{bug.file}.cc@-DPURE_PLANTED_BUG={bug.name}"
    for target in bug.tests:
        status = _bazel_test([target], [define])
        if status == _TESTS_FAILED:
            return target
        if status != 0:
            raise RuntimeError(f"{bug.name} does not build: Bazel ended with {status}")
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="only names them, with their tests")
    parser.add_argument("--only", help="one bug by its name")
    parser.add_argument("--results", help="a JSON file that gets what was found")
    options = parser.parse_args()
    bugs = [bug for bug in BUGS if options.only in (None, bug.name)]
    if options.list:
        for bug in bugs:
            print(bug.name, f"store/{bug.file}.cc", *bug.tests)
        return 0
    if not bugs:
        print(f"there is no bug {options.only}", file=sys.stderr)
        return 2
    if _bazel_test(sorted({test for bug in bugs for test in bug.tests}), []) != 0:
        print("the tests are red without a bug", file=sys.stderr)
        return 1
    results = []
    for bug in bugs:
        begin = time.monotonic()
        test = _try(bug)
        seconds = round(time.monotonic() - begin, 1)
        results.append({"bug": bug.name, "test": test, "seconds": seconds})
        print(f"{bug.name}: {'caught by ' + test if test else 'NOT CAUGHT'} in {seconds} s")
        sys.stdout.flush()
    caught = sum(bool(result["test"]) for result in results)
    if options.results:
        with open(options.results, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
            file.write("\n")
    print(f"caught {caught} of {len(results)} planted")
    return 0 if caught == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
