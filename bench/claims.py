#!/usr/bin/env python3
"""The claims of Pure's beginnings, as ratios within one run; the tables of docs/benchmarks.md.

    ./bazelw build -c opt //:pure //bench/load //bench:libslow_sync.so
    to=$(mktemp -d)
    cp -L bazel-bin/platforms/server/pure bazel-bin/bench/load/load bazel-bin/bench/libslow_sync.so $to
    ./bazelw build -c opt --//executor:gather_kind=//bench:never_gather //:pure
    bench/claims.py --pure $to/pure --load $to/load --slow_sync $to/libslow_sync.so \\
        --never_gathers bazel-bin/platforms/server/pure

Threads: pages with two threads of connections against one, and the latency of durable events among
readers of pages. Gathering: events a save with it and without, on the disk as it is and with syncs
that take longer. A lone client: its events over one save. Root of the checkout is where it is started.
"""

import argparse
import contextlib
import os
import sys
import tempfile
import threading

import apps
import run
import subjects

SLOW_US = 2000


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pure", required=True, help="the server")
    parser.add_argument("--never_gathers", required=True, help="one that was built not to gather")
    parser.add_argument("--load", required=True, help="the load loop")
    parser.add_argument("--slow_sync", required=True, help="the library that slows syncs down")
    parser.add_argument("--folder", default="/var/tmp", help="for stores; where the disk is")
    parser.add_argument("--seconds", type=float, default=2, help="of one measurement")
    parser.add_argument("--rounds", type=int, default=5, help="measurements in turn")
    return parser.parse_args()


class Servers:
    """Servers on stores of their own, all stopped at the end."""

    def __init__(self, arguments, folder):
        self._arguments = arguments
        self._folder = folder
        self._stack = contextlib.ExitStack()
        self._count = 0

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self._stack.close()

    def start(self, module, threads, gathers=True, slow=False):
        self._count += 1
        store = os.path.join(self._folder, f"store{self._count}")
        program = self._arguments.pure if gathers else self._arguments.never_gathers
        command = [program, "serve", module, "--store", store, "--port", "0"]
        command += ["--threads", str(threads)]
        if slow:
            library = os.path.abspath(self._arguments.slow_sync)
            command = ["env", f"LD_PRELOAD={library}", f"PURE_SLOW_SYNC_US={SLOW_US}", *command]
        subject = subjects.Subject(f"{threads} threads", command, core=None).read_port()
        self._stack.callback(subject.stop)
        return subject


def ask(arguments, subject, path, connections, method="GET"):
    events, groups = apps.saves(subject)
    found = apps.ask(arguments, subject, path, connections, 1, method, core=None)
    events_after, groups_after = apps.saves(subject)
    saves = groups_after - groups
    found["events_a_save"] = (events_after - events) / saves if saves else 0
    return found


def in_turn(arguments, measurements):
    """{name: medians} of {name: function}, all of them once in each round."""
    runs = {name: [] for name in measurements}
    for turn in range(arguments.rounds):
        for name, measure in measurements.items():
            runs[name].append(measure())
            print(f"{turn + 1}/{arguments.rounds} {name}: {runs[name][-1]}", file=sys.stderr)
    return {name: run.medians(each) for name, each in runs.items()}


def pages(arguments, servers, module):
    found = {}
    for threads in (1, 2):
        subject = servers.start(module, threads)
        apps.fill(subject)
        for kind, path in (("kept", "/kept"), ("made", "/made?n=1")):
            found[kind, threads] = lambda s=subject, p=path: ask(arguments, s, p, 50)
    results = in_turn(arguments, found)
    print("| A page of 20 rows, 50 clients | one thread | two threads | pages/s, two over one |")
    print("| --- | --- | --- | --- |")
    for kind in ("kept", "made"):
        one, two = results[kind, 1], results[kind, 2]
        cells = [f"{r['server_us']:.1f} µs, {r['per_s']:,.0f}/s" for r in (one, two)]
        print(f"| {kind} | {cells[0]} | {cells[1]} | {two['per_s'] / one['per_s']:.2f} |")
    print()


def gathering(arguments, servers):
    print("| Events of an owner with two threads | gathered | never | events a save | events/s |")
    print("| --- | --- | --- | --- | --- |")
    for slow in (False, True):
        subject = {g: servers.start(apps.COUNTER, 2, g, slow) for g in (True, False)}
        for clients in (1, 50, 256):
            results = in_turn(
                arguments,
                {
                    g: lambda s=s, c=clients: ask(arguments, s, "/inputs/hit", c, "POST")
                    for g, s in subject.items()
                },
            )
            cells = [
                f"{r['events_a_save']:.1f} a save, {r['per_s']:,.0f}/s, p50 {r['p50_us']:,.0f} µs"
                for r in (results[True], results[False])
            ]
            ratios = [
                f"{results[True][field] / results[False][field]:.2f}"
                for field in ("events_a_save", "per_s")
            ]
            disk = f"syncs {SLOW_US / 1000:g} ms longer" if slow else "the disk as it is"
            row = [f"{disk}, {clients} client{'s' if clients > 1 else ''}", *cells, *ratios]
            print("| " + " | ".join(row) + " |")
    print()


def among_readers(arguments, subject):
    """Events of 50 clients while 50 others read a page that is made each time."""
    pages_read = {}
    reader = threading.Thread(
        target=lambda: pages_read.update(ask(arguments, subject, "/made?n=1", 50))
    )
    reader.start()
    events = ask(arguments, subject, "/inputs/mark", 50, "POST")
    reader.join()
    return {"p50_us": events["p50_us"], "per_s": events["per_s"], "pages": pages_read["per_s"]}


def latency(arguments, servers, module):
    print("| Durable events among readers of pages | p50 | over one thread | events/s | pages/s |")
    print("| --- | --- | --- | --- | --- |")
    for slow in (False, True):
        subject = {threads: servers.start(module, threads, slow=slow) for threads in (1, 2, 4)}
        for each in subject.values():
            apps.fill(each)
        results = in_turn(
            arguments,
            {threads: lambda s=s: among_readers(arguments, s) for threads, s in subject.items()},
        )
        for threads, result in results.items():
            disk = f"syncs {SLOW_US / 1000:g} ms longer" if slow else "the disk as it is"
            ratio = result["p50_us"] / results[1]["p50_us"]
            print(
                f"| {disk}, {threads} thread{'s and an owner' if threads > 1 else ''} | "
                f"{result['p50_us']:,.0f} µs | {ratio:.2f} | {result['per_s']:,.0f} | "
                f"{result['pages']:,.0f} |"
            )
    print()


def lone(arguments, servers, save):
    subject = servers.start(apps.COUNTER, 1)
    owner = servers.start(apps.COUNTER, 2)
    results = in_turn(
        arguments,
        {
            "one thread": lambda: ask(arguments, subject, "/inputs/hit", 1, "POST"),
            "two threads and an owner": lambda: ask(arguments, owner, "/inputs/hit", 1, "POST"),
        },
    )
    print(f"A lone client, over one save (4 KiB overwritten, fdatasync: {save:.0f} µs at p50):")
    for name, result in results.items():
        p50 = result["p50_us"]
        print(f"{name} {p50:.0f} µs, {p50 - save:.0f} µs more.")


def main():
    arguments = parse()
    print(f"{os.cpu_count()} cores, which the load loop shares; medians of {arguments.rounds} runs.\n")
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        save = run.one_save_us(folder)
        page = apps.write(folder, apps.PAGE.replace("ROWS", apps.ROWS) + "input mark { next += 1; reply next }\n")
        for part in (
            lambda servers: pages(arguments, servers, page),
            lambda servers: gathering(arguments, servers),
            lambda servers: latency(arguments, servers, page),
            lambda servers: lone(arguments, servers, save),
        ):
            with tempfile.TemporaryDirectory(dir=folder) as stores:
                with Servers(arguments, stores) as servers:
                    part(servers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
