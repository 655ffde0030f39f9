#!/usr/bin/env python3
"""Measures Pure beside the floor and others, in turn; prints the tables of docs/benchmarks.md.

    bench/run.py --pure bazel-bin/platforms/server/pure --load bazel-bin/bench/load/load

All is on loopback and ends by itself. Absolute times differ from machine to machine and from day to
day: what counts are the ratios within one run, and the server's processor time a request. nginx and
redis are measured where they are installed. With --check, a ratio that misses its limit is an
error.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

import subjects

HERE = os.path.dirname(os.path.abspath(__file__))
VALUE_BYTES = 64  # of durable writes
READS = {"50 connections": (50, 1), "50, 16 deep": (50, 16), "256 connections": (256, 1)}
WRITES = {"1 client": (1, 1), "50 clients": (50, 1), "256 clients": (256, 1)}
ONE_SAVE = "one save"


class Goal(NamedTuple):
    """A ratio of Pure to another of the same run, and its limit."""

    name: str
    what: str
    part: str
    load: str
    field: str
    over: str
    limit: float

    @property
    def rate(self):
        """More is better."""
        return self.field == "per_s"


BARE, NGINX, GET, SET = "bare loop", "nginx, a file", "redis GET", "redis SET, always"
C50, DEEP, C256 = READS
W1, W50, W256 = WRITES
GOALS = [
    Goal(
        "R1", "µs a GET, over the bare loop, 50 connections", "reads", C50, "server_us", BARE, 1.2
    ),
    Goal("R1", "the same, 256 connections", "reads", C256, "server_us", BARE, 1.2),
    Goal("R2", "the same, 50 connections 16 deep", "reads", DEEP, "server_us", BARE, 2.0),
    Goal("R3", "GET/s, over nginx, 50 connections", "reads", C50, "per_s", NGINX, 1.6),
    Goal("R4", "the same, 16 deep", "reads", DEEP, "per_s", NGINX, 9),
    Goal("R5", "µs a GET, over redis, 50 connections", "reads", C50, "server_us", GET, 0.9),
    Goal("R5", "the same, 16 deep", "reads", DEEP, "server_us", GET, 0.9),
    Goal("D1", "p50 of a lone PUT, over one save", "writes", W1, "p50_us", ONE_SAVE, 1.6),
    Goal("D2", "p50 of a lone PUT, over redis", "writes", W1, "p50_us", SET, 0.85),
    Goal("D3", "PUT/s, over redis, 50 clients", "writes", W50, "per_s", SET, 1.5),
    Goal("D3", "the same, 256 clients", "writes", W256, "per_s", SET, 1.5),
    Goal(
        "D5", "µs a PUT, over the bare loop with a log, 50", "writes", W50, "server_us", BARE, 1.4
    ),
]


def main():
    arguments = parse()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(dir=arguments.folder, prefix="pure-bench-") as folder:
        results = {
            "reads": measure(arguments, folder, False),
            "writes": measure(arguments, folder, True),
        }
        results["save_us"] = one_save_us(folder)
    print_machine(arguments, time.monotonic() - begun)
    print_table("Document GET, 1.5 KB", READS, results["reads"])
    print_table(f"Durable PUT, {VALUE_BYTES} bytes", WRITES, results["writes"])
    print(f"One save (4 KiB overwritten, fdatasync): {results['save_us']:.0f} µs (median).\n")
    missed = print_ratios(results)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    if arguments.check and missed:
        sys.exit(f"missed: {', '.join(missed)}")


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pure", required=True, help="the pure binary, built with -c opt")
    parser.add_argument("--load", required=True, help="the load loop, built with -c opt")
    parser.add_argument(
        "--bare-read",
        default="",
        help="command of the bare loop, with {port} and {bytes} of an answer",
    )
    parser.add_argument("--bare-write", default="", help="the same with a log: {port} and {log}")
    parser.add_argument("--module", default=os.path.join(HERE, "../modules/examples/objects.pure"))
    parser.add_argument("--seconds", type=float, default=3, help="length of one measurement")
    parser.add_argument("--rounds", type=int, default=5, help="measurements of each kind, in turn")
    parser.add_argument(
        "--folder",
        default=".",
        help="where stores and logs are; a real disk, or saves cost nothing",
    )
    parser.add_argument("--json", default="", help="file for the results")
    parser.add_argument("--check", action="store_true", help="fail when a ratio misses its limit")
    return parser.parse_args()


def start(arguments, folder, writes):
    """The servers of one part, the floor first."""
    template = arguments.bare_write if writes else arguments.bare_read
    running = []
    try:
        if template:
            running.append(subjects.bare(arguments, folder, writes))
        running.append(subjects.pure(arguments, folder, "pure"))
        if not writes:
            running.append(subjects.nginx(folder))
        running.append(subjects.redis(folder, writes))
    except Exception:
        stop(running)
        raise
    return [subject for subject in running if subject is not None]


def stop(running):
    for subject in running:
        if subject is not None:
            subject.stop()


def measure(arguments, folder, writes):
    """{load: {subject: medians of its runs}}"""
    part = os.path.join(folder, "writes" if writes else "reads")
    os.mkdir(part)
    os.chmod(folder, 0o755)
    loads = WRITES if writes else READS
    runs = {name: {} for name in loads}
    running = start(arguments, part, writes)
    try:
        for turn in range(arguments.rounds):
            for name, (connections, depth) in loads.items():
                for subject in running:
                    ask = ask_redis if subject.redis else ask_http
                    result = ask(arguments, subject, connections, depth, writes, turn)
                    runs[name].setdefault(subject.name, []).append(result)
                    print(
                        f"{turn + 1}/{arguments.rounds} {name}: {subject.name} {result}",
                        file=sys.stderr,
                    )
    finally:
        stop(running)
    return {
        name: {subject: medians(each) for subject, each in found.items()}
        for name, found in runs.items()
    }


def medians(runs):
    return {field: statistics.median(run[field] for run in runs) for field in runs[0]}


def ask_http(arguments, subject, connections, depth, writes, turn):
    flags = {
        "port": subject.port,
        "connections": connections,
        "depth": depth,
        "seconds": arguments.seconds,
        "json": "-",
        "seed": turn + 1,
        "keys": max(1000, connections * depth),
        "key_prefix": f"t{turn}-c{connections}-d{depth}",  # new documents in each turn
        "prepare": "false" if writes else "true",
        "put_percent": 100 if writes else 0,
        "value_bytes": VALUE_BYTES if writes else subjects.PAGE_BYTES,
        "server_process_ids": ",".join(map(str, subject.process_ids())),
    }
    command = [arguments.load, *(f"--{name}={value}" for name, value in flags.items())]
    ended = subprocess.run(
        command + subject.flags,
        capture_output=True,
        timeout=arguments.seconds + 200,
        check=False,
        preexec_fn=subjects.pinned(1),
    )
    if ended.returncode:
        raise RuntimeError(f"{subject.name}: {ended.stderr.decode()}")
    report = json.loads(ended.stdout)
    if list(report["statuses"]) != ["200"] or report["lost"]:
        raise RuntimeError(f"{subject.name}: {report['statuses']}, {report['lost']} lost")
    return {
        "per_s": report["requests_per_s"],
        "p50_us": report["p50_us"],
        "p99_us": report["p99_us"],
        "server_us": report["server_cpu_us"],
    }


def scheduler_us(process_ids):
    total = 0
    for process_id in process_ids:
        for task in os.listdir(f"/proc/{process_id}/task"):
            with open(f"/proc/{process_id}/task/{task}/schedstat", encoding="ascii") as file:
                total += int(file.read().split()[0])
    return total / 1000


def ask_redis(arguments, subject, connections, depth, writes, turn):
    rate = (20_000 if connections == 1 else 80_000) if writes else 100_000 * min(depth, 6)
    count = max(1000, int(rate * arguments.seconds))
    command = [
        "redis-benchmark",
        "-p",
        str(subject.port),
        "--csv",
        "-t",
        "set" if writes else "get",
        "-r",
        "1000",
        "-c",
        str(connections),
        "-P",
        str(depth),
        "-n",
        str(count),
        "-d",
        str(VALUE_BYTES),
    ]
    if not writes:
        command[command.index("-r") + 1] = "1"
    before = scheduler_us(subject.process_ids())
    ended = subprocess.run(
        command, capture_output=True, timeout=600, check=True, preexec_fn=subjects.pinned(1)
    )
    used = scheduler_us(subject.process_ids()) - before
    fields = [
        field.strip('"') for field in ended.stdout.decode().strip().splitlines()[-1].split(",")
    ]
    return {
        "per_s": float(fields[1]),
        "p50_us": float(fields[4]) * 1000,
        "p99_us": float(fields[6]) * 1000,
        "server_us": used / count,
    }


def one_save_us(folder):
    """The median of overwriting a block that exists and syncing it."""
    path = os.path.join(folder, "save")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        block = b"x" * 4096
        os.pwrite(descriptor, bytes(1 << 20), 0)
        os.fsync(descriptor)
        times = []
        for i in range(500):
            begun = time.monotonic_ns()
            os.pwrite(descriptor, block, i % 256 * 4096)
            os.fdatasync(descriptor)
            times.append((time.monotonic_ns() - begun) / 1000)
        return statistics.median(times)
    finally:
        os.close(descriptor)


def print_machine(arguments, seconds):
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    print(f"{model}, {os.cpu_count()} cores, Linux {platform.release()}.")
    print(f"Medians of {arguments.rounds} runs of {arguments.seconds:g} s, in turn.")
    print(f"{seconds / 60:.1f} minutes; the server on one core, the client on another.\n")


def print_table(title, loads, results):
    print("| " + title + " | " + " | ".join(loads) + " |")
    print("| --- |" + " --- |" * len(loads))
    names = list(next(iter(results.values())))
    for name in names:
        cells = []
        for load in loads:
            one = results[load][name]
            cells.append(
                f"{one['server_us']:.1f} µs, {one['per_s']:,.0f}/s, p50 {one['p50_us']:,.0f} µs"
            )
        print("| " + " | ".join([name, *cells]) + " |")
    print("\nServer processor time a request, requests/s, median latency.\n")


def ratio(results, goal):
    """Pure's value over the other's; None: one of them was not measured."""
    found = results[goal.part][goal.load]
    if goal.over == ONE_SAVE:
        return found["pure"][goal.field] / results["save_us"]
    if goal.over not in found or not found[goal.over][goal.field]:
        return None
    return found["pure"][goal.field] / found[goal.over][goal.field]


def print_ratios(results):
    """Pure's ratios with their limits. Gives those that missed."""
    print("| | ratio | measured | limit | |\n| --- | --- | --- | --- | --- |")
    missed = []
    for goal in GOALS:
        value = ratio(results, goal)
        if value is None:
            continue
        reached = value >= goal.limit if goal.rate else value <= goal.limit
        if not reached:
            missed.append(f"{goal.name} {goal.what}: {value:.2f}")
        limit = f"{'≥' if goal.rate else '≤'} {goal.limit:g}"
        word = "reached" if reached else "missed"
        print(f"| {goal.name} | {goal.what} | {value:.2f} | {limit} | {word} |")
    return missed


if __name__ == "__main__":
    main()
