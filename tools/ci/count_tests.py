#!/usr/bin/env python3
"""Counts what a CI run's steps have tested: `count_tests.py [--keep FOLDER] STEP...`.

A STEP is NAME:OUTCOME or NAME:OUTCOME:EVENTS. OUTCOME is `passed`, `failed`, or `skipped=REASON`.
EVENTS is the file of a `bazel test --build_event_json_file=EVENTS`, which names the tests of just
that run, whatever older logs lie about. A step with events counts as its test cases, another one as
one. Prints each failure and each skip, and at the end `N passed, N failed` (and `, N skipped`).
With --keep, the tests' logs are copied into FOLDER.
"""

import json
import os
import re
import shutil
import sys
import urllib.parse
import xml.etree.ElementTree as xml
from typing import Dict, Iterator, List, NamedTuple, Tuple

# How a script may count its own cases, and tell of those that it left out.
_COUNTS = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.MULTILINE)
_SKIPPED = re.compile(r"^(?:SKIP|SKIPPED|skipped:) (.+)$", re.MULTILINE)


class Count(NamedTuple):
    """How many cases passed, and which did not, each with a reason."""

    passed: int = 0
    failed: Tuple[str, ...] = ()
    skipped: Tuple[str, ...] = ()

    def __add__(self, other):
        return Count(*(a + b for a, b in zip(self, other)))


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read()
    except OSError:
        return ""


def _googletest(root: xml.Element, label: str) -> Count:
    count = Count()
    for case in root.iter("testcase"):
        name = f"{label} {case.get('classname')}.{case.get('name')}"
        skip = case.find("skipped")
        if case.find("failure") is not None:
            count += Count(failed=(name,))
        elif skip is not None:
            # The first line of the message is where in the source it was said.
            reason = " ".join((skip.get("message") or "").split("\n")[1:]).strip()
            count += Count(skipped=(f"{name}: {reason or 'no reason given'}",))
        elif case.get("result") == "suppressed" or case.get("status") == "notrun":
            count += Count(skipped=(f"{name}: disabled",))
        else:
            count += Count(passed=1)
    return count


def _script(log: str, label: str, passed: bool) -> Count:
    counts, reasons = _COUNTS.findall(log), _SKIPPED.findall(log)
    if not counts:
        if not passed:
            return Count(failed=(label,))
        left_out_whole = tuple(f"{label}: {reason}" for reason in reasons[:1])
        return Count(skipped=left_out_whole) if reasons else Count(passed=1)
    right, wrong, left_out = (sum(int(row[i] or 0) for row in counts) for i in range(3))
    # A script may leave the number to its reasons.
    reasons += ["no reason given"] * (left_out - len(reasons))
    return Count(
        right,
        tuple(f"{label}: case {i + 1} of {wrong}" for i in range(wrong)),
        tuple(f"{label}: {reason}" for reason in reasons),
    )


def count_test(label: str, passed: bool, report: str, log: str) -> Count:
    """The cases of one test (or of one shard of it), from its test.xml and its log."""
    count = None
    try:
        root = xml.fromstring(report)
        # Bazel writes a report for a test that writes none; only googletest tells a result.
        if any(case.get("result") for case in root.iter("testcase")):
            count = _googletest(root, label)
    except xml.ParseError:
        pass
    if count is None:
        count = _script(log, label, passed)
    if not passed and not count.failed:
        count += Count(failed=(f"{label}: failed outside of its cases",))
    return count


def _events(path: str) -> Iterator[dict]:
    for line in _read(path).splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            # Bazel was stopped in the middle of a line.
            return


def results(path: str) -> Dict[Tuple[str, int], Tuple[bool, Dict[str, str]]]:
    """From an event file: (label, shard) to whether it passed and where its outputs are.

    A test that could not be built is there as failed, without outputs.
    """
    found: Dict[Tuple[str, int], Tuple[bool, Dict[str, str]]] = {}
    for event in _events(path):
        if "testResult" in event:
            name, result = event["id"]["testResult"], event["testResult"]
            outputs = {
                output["name"]: urllib.parse.unquote(urllib.parse.urlparse(output["uri"]).path)
                for output in result.get("testActionOutput", [])
                if "uri" in output
            }
            # Attempts come in order; the last one counts.
            key = (name["label"], name.get("shard", 0))
            found[key] = (result["status"] in ("PASSED", "FLAKY"), outputs)
        elif "targetCompleted" in event["id"] and not event.get("completed", {}).get("success"):
            label = event["id"]["targetCompleted"]["label"]
            found.setdefault((label, 0), (False, {}))
    return found


def _keep(folder: str, label: str, shard: int, outputs: Dict[str, str]) -> None:
    target = os.path.join(folder, label.lstrip("@/").replace(":", "/"), f"shard_{shard}")
    for name, path in outputs.items():
        if os.path.isfile(path):
            os.makedirs(target, exist_ok=True)
            shutil.copyfile(path, os.path.join(target, name))


def count_step(step: str, keep: str = "") -> Count:
    """The cases of one step."""
    name, _, rest = step.partition(":")
    if rest.startswith("skipped="):
        return Count(skipped=(f"{name}: {rest.partition('=')[2]}",))
    outcome, _, events = rest.partition(":")
    count = Count()
    for (label, shard), (passed, outputs) in sorted(results(events).items() if events else ()):
        report, log = _read(outputs.get("test.xml", "")), _read(outputs.get("test.log", ""))
        count += count_test(f"{name} {label}", passed, report, log)
        if keep:
            _keep(os.path.join(keep, name), label, shard, outputs)
    if outcome != "passed" and not count.failed:
        count += Count(failed=(name,))
    elif not events:
        count += Count(passed=1)
    return count


def main(arguments: List[str]) -> int:
    keep = ""
    if arguments[:1] == ["--keep"]:
        keep, arguments = arguments[1], arguments[2:]
    total = sum((count_step(step, keep) for step in arguments), Count())
    for text in total.failed:
        print("failed:", text)
    for text in total.skipped:
        print("skipped:", text)
    summary = f"{total.passed} passed, {len(total.failed)} failed"
    print(summary + (f", {len(total.skipped)} skipped" if total.skipped else ""))
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
