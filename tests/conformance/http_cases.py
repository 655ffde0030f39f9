#!/usr/bin/env python3
"""Runs the wire cases of HTTP/1.1 against a server that it starts on loopback.

    http_cases.py --server PURE --module objects.pure [--split 40] [--only REGEX]

Prints a line for each case that fails or is skipped, with the reason, and last `N passed, N failed,
N skipped`. Exit status 0: nothing failed; 1: something did; 2: usage.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import re
import signal
import sys
import threading

sys.dont_write_bytecode = True  # the modules beside this one stay as they are in the source tree

import case_file
from play import Run
from server import DEFAULTS, LARGE_BYTES, OPTIONS, Server, Trouble, pattern

SIGNAL = ("signal", "SIGTERM_before_send")
FAULT_TEST = "//tests/serving:fault_cases_test"
# Why no such module is served.
MODULES = {
    "deny": "what a module refuses is a fault with a name and a status of its own",
    "bad_content_type": "it does not load, //modules:module_errors_test",
}


def parse_arguments():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--server", required=True, metavar="FILE", help="the pure binary")
    add("--module", required=True, metavar="FILE", help="a module that keeps objects of any bytes")
    add("--cases", default=os.path.join(here, "http_cases.jsonl"), metavar="FILE")
    add("--option", action="append", default=[], metavar="WORD",
        help="one more word for `pure serve`; may be repeated")
    add("--only", type=re.compile, metavar="REGEX", help="only cases whose id matches")
    add("--category", action="append", help="only this category; may be repeated")
    add("--split", type=int, default=0, metavar="N",
        help="run each single request also cut in two, at N places at most")
    add("--jobs", type=int, default=8, metavar="N",
        help="cases at the same time (most of them wait)")
    add("--object-limit", type=int, default=16 << 20, metavar="BYTES",
        help="the server's limit (default 16 MiB)")
    add("--slack", type=float, default=1.0, metavar="F",
        help="multiply all times, the server's deadlines too")
    add("--list", action="store_true", help="list the cases and stop")
    return parser, parser.parse_args()


def skip_reason(case, options):
    for key, value in case.config.items():
        if key == "fault":
            return f"needs the fault {value}: tested over the simulated disk, {FAULT_TEST}"
        if key == "module":
            return f"needs a module that is {value}: {MODULES.get(value, 'there is none')}"
        if key not in OPTIONS and (key, value) not in (SIGNAL, ("auth", "token")):
            return f"needs {json.dumps({key: value})}, which no option expresses"
    if case.needs_limit() and options.object_limit > case.config.get("budget", DEFAULTS["budget"]):
        return "the object limit is above the budget"
    return None


def cuts_of(size, most):
    """At most that many places in 1…size-1, the first and the last among them."""
    if size - 1 <= most:
        return range(1, size)
    return sorted({1 + (size - 2) * i // max(1, most - 1) for i in range(most)})


class Report:
    """Verdicts as they come, from several threads."""

    def __init__(self):
        self.lock, self.verdicts = threading.Lock(), collections.defaultdict(collections.Counter)
        self.variants, self.splits, self.stops = [], 0, 0

    def add(self, case, verdict, line=None):
        with self.lock:
            self.verdicts[case.category][verdict] += 1
            if line:
                print(f"{verdict.upper()} {case.id}: {line}", flush=True)

    def failed(self, case, run, problems):
        got = run.wires.get(case.judged) if run else None
        self.add(case, "failed", f"expected {case.expectation()}, got {got or 'nothing'}: "
                                 f"{'; '.join(problems)} [{case.why}]")

    def stop(self, config, problem):
        with self.lock:
            self.stops += 1
            if problem:
                self.verdicts["stop"]["failed"] += 1
                print(f"FAILED stop of the server with {json.dumps(config)}: {problem}", flush=True)

    def count(self, verdict):
        return sum(counter[verdict] for counter in self.verdicts.values())

    def finish(self):
        for category, counter in self.verdicts.items():
            counts = ", ".join(f"{number} {verdict}" for verdict, number in counter.items())
            print(f"{category:10} {counts}")
        print(f"other answers that a case allows: {', '.join(sorted(self.variants)) or 'none'}")
        print(f"{self.stops} servers stopped; {self.splits} requests sent in two pieces")
        totals = (f"{self.count(verdict)} {verdict}" for verdict in ("passed", "failed", "skipped"))
        print(", ".join(totals), flush=True)
        return 1 if self.count("failed") else 0


class Runner:
    def __init__(self, options, cases):
        self.options, self.report, self.keys = options, Report(), case_file.Keys(cases)
        self.keys_lock, self.large_lock = threading.Lock(), threading.Lock()
        self.command = [options.server, "serve", options.module, *options.option]

    def start(self, config, cases):
        server = Server(self.command, config, self.options.slack)
        try:
            if any(case.reads_large for case in cases):
                server.put("big0", pattern(min(LARGE_BYTES, self.options.object_limit)))
        except BaseException:
            server.kill()
            raise
        return server

    def run_once(self, server, case, cut=None):
        with self.keys_lock:
            keys = self.keys.for_run(case, again=cut is not None)
        tag = server.put(keys["seed0"], b"hello")
        limit = self.options.object_limit
        names = {"ETAG": tag, "REV": tag.strip('"'), "LIMIT": limit, "LIMIT_PLUS_1": limit + 1}
        return Run(server, case.filled(names, keys), cut).play()

    def run_case(self, server, case):
        """Whole, then cut in two at each place: every cut must give the same final answers."""
        run = None
        try:
            run = whole = self.run_once(server, case)
            if not run.problems and case.single and self.options.split:
                size = len(whole.filled.steps[0]["send"])
                for cut in cuts_of(size, self.options.split):
                    run = self.run_once(server, case, cut)
                    self.report.splits += 1
                    if not run.problems and run.finals() != whole.finals():
                        run.problems.append(f"other answers than in one piece, {whole.finals()}")
                    if run.problems:
                        run.problems.insert(0, f"cut at byte {cut} of {size}")
                        break
        except (Trouble, OSError, ValueError) as error:
            return self.report.failed(case, run, [f"{type(error).__name__}: {error}"])
        if run.problems:
            return self.report.failed(case, run, run.problems)
        if whole.got != case.outcomes[0]:
            self.report.variants.append(case.id)
        return self.report.add(case, "passed")

    # Large documents share one budget, so their cases run one after the other.
    def run_in_turn(self, server, case):
        if not case.large:
            return self.run_case(server, case)
        with self.large_lock:
            return self.run_case(server, case)

    def run_group(self, config, cases, pool):
        """All cases of one configuration on one server."""
        try:
            server = self.start(config, cases)
        except (Trouble, OSError) as error:
            for case in cases:
                self.report.failed(case, None, [f"no server: {error}"])
            return
        try:
            if "signal" in config:
                self.run_case(server, cases[0])
            else:
                list(pool.map(lambda case: self.run_in_turn(server, case), cases))
            self.report.stop(config, server.stop())
        finally:
            server.kill()

    def run(self, cases):
        groups = collections.defaultdict(list)
        for case in cases:
            reason = skip_reason(case, self.options)
            if reason:
                self.report.add(case, "skipped", reason)
                continue
            # A server that was told to stop serves no other case.
            turn = case.id if "signal" in case.config else ""
            groups[json.dumps(case.config, sort_keys=True), turn].append(case)
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for (config, _), group in groups.items():
                group.sort(key=lambda case: not case.large)
                self.run_group(json.loads(config), group, pool)
        return self.report.finish()


def main():
    parser, options = parse_arguments()
    try:
        cases = case_file.load(options.cases)
    except (OSError, ValueError, KeyError) as error:
        parser.error(f"{options.cases}: {error}")
    cases = [case for case in cases if (not options.only or options.only.search(case.id))
             and (not options.category or case.category in options.category)]
    if not cases:
        parser.error("no case is selected")
    if options.list:
        for case in cases:
            config = json.dumps(case.config)
            print(f"{case.id:26} {case.category:10} {case.expectation():36} {config}")
        return 0
    return Runner(options, cases).run(cases)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers are stopped
    sys.exit(main())
