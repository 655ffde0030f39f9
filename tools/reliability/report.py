#!/usr/bin/env python3
"""Runs the proofs of the store and writes what they reached into docs/reliability.md.

    tools/reliability/report.py [--effort N] [--planted FILE] [--no-run]

--effort makes the tests do N times their normal run (tests/durability/README.md). --planted is the
file of results of tools/planted_bugs/run.py. --no-run only reads the logs of the last run.
"""

import argparse
import json
import pathlib
import platform
import re
import subprocess
import sys
import time
from typing import Callable, Dict, List, NamedTuple

_ROOT = pathlib.Path(__file__).resolve().parents[2]
_PAGE = _ROOT / "docs" / "reliability.md"
_BEGIN, _END = "<!-- figures: begin -->", "<!-- figures: end -->"

_TARGETS = [
    "//store/fuzz:all",
    "//tests/durability:all",
    "//tests/end_to_end:failing_disk_test",
    "//tests/end_to_end:kill_soak_test",
    "//tests/golden:golden_test",
    "//tests/histories:histories_test",
]


class Row(NamedTuple):
    layer: str
    what: str
    goal: str
    figure: Callable[["Logs"], str]


class Logs:
    """What the tests printed, by target."""

    def __init__(self, folder: pathlib.Path):
        self._folder = folder

    def of(self, target: str) -> str:
        path = self._folder / target.strip("/").replace(":", "/")
        texts = [log.read_text(errors="replace") for log in sorted(path.rglob("test.log"))]
        if not texts:
            raise SystemExit(f"{target} has no log: run it first")
        return "\n".join(texts)

    def sums(self, target: str, pattern: str) -> List[int]:
        """The groups of all matches, each summed up."""
        matches = re.findall(pattern, self.of(target))
        rows = [match if isinstance(match, tuple) else (match,) for match in matches]
        if not rows:
            raise SystemExit(f"{target} does not print {pattern!r}")
        return [sum(int(value) for value in column) for column in zip(*rows)]


def _number(value: int) -> str:
    return f"{value:,}"


def _sequences(logs: Logs) -> str:
    (count,) = logs.sums("//tests/durability:property_test", r"(\d+) sequences of 200 operations")
    return f"{_number(count)} sequences of 200 operations, 0 differences"


def _crashes(logs: Logs) -> str:
    points, states = logs.sums(
        "//tests/durability:crash_test", r"(\d+) crash points, (\d+) disk states"
    )
    (inner,) = logs.sums("//tests/durability:crash_test", r"(?m)^(\d+) disk states")
    return (
        f"{_number(points)} crash points, {_number(states)} disk states, and {_number(inner)} of "
        "crashes inside a recovery: 0 lost, 0 invented"
    )


def _faults(logs: Logs) -> str:
    runs, poisoned = logs.sums("//tests/durability:fault_test", r"(\d+) runs: (\d+) poisoned")
    return f"{_number(runs)} calls failed, {_number(poisoned)} of them syncs: 0 promises broken"


_OUTCOMES = (
    r"(\d+) damages: (\d+) refused at open, (\d+) refused at read, (\d+) reported by Verify alone, "
    r"(\d+) harmless, (\d+) hidden"
)


def _damages(logs: Logs, target: str, what: str) -> str:
    judged, at_open, at_read, reported, harmless, hidden = logs.sums(target, _OUTCOMES)
    return (
        f"{_number(judged)} {what}: 0 wrong bytes. {_number(at_open)} were refused at opening, "
        f"{_number(at_read)} at reading, {_number(reported)} named by `verify`, "
        f"{_number(harmless)} harmless, {_number(hidden)} in the last unproved save after a kill"
    )


def _fuzz(logs: Logs) -> str:
    (mutations,) = logs.sums("//store/fuzz", r"\d+ inputs and (\d+) mutations")
    return f"{_number(mutations)} mutations replayed, 0 crashes"


def _histories(logs: Logs) -> str:
    histories, operations, broken, given_up = logs.sums(
        "//tests/histories:histories_test",
        r"(\d+) histories, (\d+) operations, \d+ of unknown outcome: (\d+) not linearizable, (\d+) given up",
    )
    return (
        f"{_number(histories)} histories, {_number(operations)} operations: "
        f"{_number(broken)} not linearizable; {_number(given_up)} of {_number(16 * histories)} keys "
        "with too much of unknown outcome to tell"
    )


def _kills(logs: Logs) -> str:
    cycles, acknowledged, read = logs.sums(
        "//tests/end_to_end:kill_soak_test",
        r"(\d+) cycles in .*: (\d+) writes acknowledged and (\d+) reads checked",
    )
    return (
        f"{_number(cycles)} kills, {_number(acknowledged)} acknowledged writes, "
        f"{_number(read)} reads: 0 lost, 0 invented"
    )


def _failing_disks(logs: Logs) -> str:
    if "failed syncs" not in logs.of("//tests/end_to_end:failing_disk_test"):
        return "skipped on this machine: it needs root and loop devices"
    cycles, anew, acknowledged = logs.sums(
        "//tests/end_to_end:failing_disk_test",
        r"(\d+) failed syncs, (\d+) times mounted anew; (\d+) writes acknowledged",
    )
    return (
        f"{_number(cycles)} syncs that really failed, {_number(acknowledged)} acknowledged writes, "
        f"{_number(anew)} times mounted anew: 0 lost"
    )


def _golden(logs: Logs) -> str:
    (stores,) = logs.sums("//tests/golden:golden_test", r"(\d+) golden stores opened")
    return f"{stores} stores: read unchanged, written on; as of a later format: refused untouched"


_ROWS = [
    Row("T3", "random operations against a map", "20,000 sequences", _sequences),
    Row("T4", "fuzzers of frames, manifests, whole directories", "60 s each", _fuzz),
    Row("T5", "a crash at each operation, all that the disk may hold then", "250,000", _crashes),
    Row("T6", "each call of the disk fails, once or for ever", "every call", _faults),
    Row(
        "T8",
        "what 32 clients of a server were told, with 1 to 8 threads and kills between",
        "200 histories of 5,000 operations",
        _histories,
    ),
    Row("T9", "`kill -9` of a server under load", "", _kills),
    Row("T10", "file systems whose syncs fail for real", "20 cycles", _failing_disks),
    Row(
        "T11",
        "each bit of a small store flipped",
        "every bit",
        lambda logs: _damages(logs, "//tests/durability:corruption_test", "bits"),
    ),
    Row(
        "T11",
        "sectors zeroed, exchanged, doubled, put back",
        "every sector",
        lambda logs: _damages(logs, "//tests/durability:sector_corruption_test", "changes"),
    ),
    Row(
        "T11",
        "files missing, cut, old, exchanged",
        "each file",
        lambda logs: _damages(logs, "//tests/durability:lost_file_test", "changes"),
    ),
    Row("T16", "stores that each released format wrote", "all", _golden),
]


def _run(effort: int) -> None:
    command = ["./bazelw", "test", "--noshow_progress", "--nocache_test_results"]
    command += [f"--test_env=PURE_TEST_EFFORT={effort}", "--test_timeout=36000", *_TARGETS]
    if subprocess.run(command, cwd=_ROOT, check=False).returncode != 0:
        raise SystemExit("a proof failed: nothing was written")


def _output(*command: str) -> str:
    return subprocess.run(
        command, cwd=_ROOT, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ).stdout.strip()


def _processor() -> str:
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    names = re.findall(r"(?m)^model name\s*: (.+)$", text)
    return f"{len(names)} × {names[0]}" if names else platform.machine()


def _planted(path: str) -> List[str]:
    bugs: List[Dict[str, object]] = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    caught = sum(bool(bug["test"]) for bug in bugs)
    lines = [
        f"| T17 | bugs planted into the store, one at a time | all | {caught} of {len(bugs)} caught |",
        "",
        "| planted bug | caught by | seconds, with building |",
        "| --- | --- | --- |",
    ]
    for bug in bugs:
        lines.append(f"| `{bug['bug']}` | `{bug['test'] or 'nothing'}` | {bug['seconds']} |")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--effort", type=int, default=1)
    parser.add_argument("--planted", help="results of tools/planted_bugs/run.py")
    parser.add_argument("--no-run", action="store_true")
    options = parser.parse_args()
    if not options.no_run:
        _run(options.effort)
    logs = Logs(pathlib.Path(_output("./bazelw", "info", "-c", "fastbuild", "bazel-testlogs")))
    lines = [
        f"Commit {_output('git', 'rev-parse', '--short', 'HEAD')}, {time.strftime('%Y-%m-%d')}, "
        f"{_processor()}, Linux {platform.release().split('-')[0]}.",
        "",
        "| | what | goal | reached |",
        "| --- | --- | --- | --- |",
    ]
    for row in _ROWS:
        lines.append(f"| {row.layer} | {row.what} | {row.goal} | {row.figure(logs)} |")
    if options.planted:
        lines += _planted(options.planted)
    page = _PAGE.read_text(encoding="utf-8")
    head, rest = page.split(_BEGIN)
    tail = rest.split(_END)[1]
    _PAGE.write_text(f"{head}{_BEGIN}\n" + "\n".join(lines) + f"\n{_END}{tail}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
