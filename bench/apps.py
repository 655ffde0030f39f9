#!/usr/bin/env python3
"""Pages and events of modules with states, in turn; the tables of docs/benchmarks.md.

    bench/apps.py --pure bazel-bin/platforms/server/pure --load bazel-bin/bench/load/load --seconds 2

A page of 20 rows is asked for as it is kept, and with an argument, so that it is made each time. Events
add one to a number, on one thread, and with two threads and an owner; or append to a list that is short,
and to one that is long. Root of the checkout is where it is started.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request

import run
import subjects

PAGE = """module page 1
type Entry = { id: int, at: time, who: text(1..40), said: text(1..280) }
state book: list(Entry, 500)
state next: int = 1
input sign(who: text(1..40), said: text(1..280)) {
  book.push({ id: next, at: now, who: who, said: said })
  next += 1
}
view kept at "/kept" as html <<<
ROWS>>>
view made(n: int) at "/made" as html <<<
ROWS>>>
"""
ROWS = """<!doctype html><title>Guestbook</title>
<table>
{for e in book by e.id down take 20}
<tr><td>{e.who}</td><td>{e.said}</td><td>{e.at:date}</td></tr>
{end}
</table>
"""
LIST = """module growing 1
state items: list(int, 4000000)
input add { items.push(1) }
input clear { items.clear() }
"""
LONG = 1_000_000
SHORT = 1_000
APPENDS = 20_000  # of one measurement
COUNTER = "modules/examples/counter.pure"


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pure", required=True, help="the server")
    parser.add_argument("--load", required=True, help="the load loop")
    parser.add_argument("--seconds", type=float, default=2, help="of one measurement")
    parser.add_argument("--rounds", type=int, default=5, help="measurements in turn")
    return parser.parse_args()


def serve(arguments, folder, name, module, options=()):
    command = [arguments.pure, "serve", module, "--store", os.path.join(folder, name), "--port", "0"]
    return subjects.Subject(name, [*command, *options]).read_port()


def fill(subject):
    for number in range(20):
        fields = {"who": f"Visitor {number}", "said": f"Hello <world>, entry {number} of the book"}
        url = f"http://127.0.0.1:{subject.port}/inputs/sign"
        urllib.request.urlopen(url, urllib.parse.urlencode(fields).encode(), timeout=10).close()


def append(arguments, subject, count):
    """Appends so many with 50 clients, 16 deep; or fewer, when the time is over."""
    return ask(arguments, subject, "/inputs/add", 50, 16, "POST", requests=count, seconds=60)


def shorten(arguments, subject):
    url = f"http://127.0.0.1:{subject.port}/inputs/clear"
    urllib.request.urlopen(url, b"", timeout=10).close()
    append(arguments, subject, SHORT)


def ask(arguments, subject, path, connections, depth, method, requests=0, seconds=None, core=1):
    flags = {
        "port": subject.port,
        "path": path,
        "method": method,
        "value_bytes": 0,
        "connections": connections,
        "depth": depth,
        "seconds": seconds or arguments.seconds,
        "requests": requests,
        "json": "-",
        "server_process_ids": ",".join(map(str, subject.process_ids())),
    }
    ended = subprocess.run(
        [arguments.load, *(f"--{name}={value}" for name, value in flags.items())],
        capture_output=True,
        timeout=(seconds or arguments.seconds) + 60,
        check=True,
        preexec_fn=None if core is None else subjects.pinned(core),
    )
    report = json.loads(ended.stdout)
    if list(report["statuses"]) not in (["200"], ["204"]) or report["lost"]:
        raise RuntimeError(f"{path}: {report['statuses']}, {report['lost']} lost")
    return {
        "per_s": report["requests_per_s"],
        "p50_us": report["p50_us"],
        "server_us": report["server_cpu_us"],
    }


def saves(subject):
    with urllib.request.urlopen(f"http://127.0.0.1:{subject.port}/-/stats", timeout=10) as answer:
        statistics = json.load(answer)
    return statistics["burst_events"], statistics["commit_groups"]


def write(folder, text):
    path = os.path.join(folder, f"{text.split()[1]}.pure")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def measure_lists(arguments, lists):
    """The short one is cut before each measurement, since it grows in it."""
    append(arguments, lists["long"], LONG)
    loads = {"1 client": 1, "50 clients": 50}
    runs = {load: {name: [] for name in lists} for load in loads}
    for _ in range(arguments.rounds):
        for load, connections in loads.items():
            for name, subject in lists.items():
                if name == "short":
                    shorten(arguments, subject)
                runs[load][name].append(
                    ask(arguments, subject, "/inputs/add", connections, 1, "POST", requests=APPENDS)
                )
    results = {
        load: {name: run.medians(each) for name, each in found.items()}
        for load, found in runs.items()
    }
    run.print_table(f"An append to a list of {SHORT:,} and more, and to one of {LONG:,}", loads, results)


def main():
    arguments = parse()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        pages = serve(arguments, folder, "pages", write(folder, PAGE.replace("ROWS", ROWS)))
        lists = {
            name: serve(arguments, folder, name, write(folder, LIST)) for name in ("short", "long")
        }
        one = serve(arguments, folder, "one thread", COUNTER)
        owner = serve(arguments, folder, "two threads and an owner", COUNTER, ("--threads", "2"))
        running = [pages, one, owner, *lists.values()]
        try:
            fill(pages)
            print(f"One save (4 KiB overwritten, fdatasync): {run.one_save_us(folder):.0f} µs.\n")
            tables = {
                "A page of 20 rows": (
                    {"50 connections": (50, 1), "50, 16 deep": (50, 16)},
                    {"kept": (pages, "/kept", "GET"), "made": (pages, "/made?n=1", "GET")},
                ),
                "An event": (
                    {"1 client": (1, 1), "50 clients": (50, 1), "256 clients": (256, 1)},
                    {
                        one.name: (one, "/inputs/hit", "POST"),
                        owner.name: (owner, "/inputs/hit", "POST"),
                    },
                ),
            }
            for title, (loads, asked) in tables.items():
                measure(arguments, title, loads, asked)
            measure_lists(arguments, lists)
            for subject in (one, owner):
                events, groups = saves(subject)
                print(f"{subject.name}: {events / groups:.1f} events a save, over all loads.")
        finally:
            for subject in running:
                subject.stop()
    return 0


def measure(arguments, title, loads, asked):
    runs = {load: {name: [] for name in asked} for load in loads}
    for turn in range(arguments.rounds):
        for load, (connections, depth) in loads.items():
            for name, (subject, path, method) in asked.items():
                result = ask(arguments, subject, path, connections, depth, method)
                runs[load][name].append(result)
                print(f"{turn + 1}/{arguments.rounds} {load}: {name} {result}", file=sys.stderr)
    results = {
        load: {name: run.medians(each) for name, each in found.items()}
        for load, found in runs.items()
    }
    run.print_table(title, loads, results)


if __name__ == "__main__":
    sys.exit(main())
