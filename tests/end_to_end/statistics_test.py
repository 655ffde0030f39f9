"""The counters of a server add up, whatever its clients did."""

import json
import os
import random
import subprocess
import threading
import time

from client import Closed, condition
from harness import expect, expect_equal, main, say, test, wait_until
from server import Server

TMPFS_MAGIC_NAMES = ("tmpfs", "ramfs")


def file_system(path):
    """The type of the file system that holds the path, as /proc/mounts says."""
    best = ("", "")
    with open("/proc/mounts", encoding="utf-8") as file:
        for line in file:
            _, mount, kind = line.split()[:3]
            inside = path == mount or path.startswith(mount.rstrip("/") + "/")
            if inside and len(mount) >= len(best[0]):
                best = (mount, kind)
    return best[1]


def load(context, server, *flags):
    command = [
        os.path.abspath(context.arguments.load),
        f"--port={server.port}",
        f"--server_process_ids={server.pid}",
        "--json=-",
        "--strict",
        *flags,
    ]
    ended = subprocess.run(
        command, capture_output=True, timeout=context.arguments.seconds + 180, check=False
    )
    expect_equal(ended.returncode, 0, f"the load's exit status; {ended.stdout!r} {ended.stderr!r}")
    return json.loads(ended.stdout)


@test
def two_threads_under_a_mixed_load_count_what_the_clients_count(context):
    with Server(context, "--threads", 2) as server:
        report = load(
            context,
            server,
            "--connections=64",
            f"--seconds={context.arguments.seconds}",
            "--keys=640",
            "--put_percent=30",
            "--value_bytes=1500",
        )
        say(
            f"{report['requests']} requests in {report['seconds']} s, "
            f"{report['requests_per_s']}/s, "
            f"p50 {report['p50_us']} us, p99 {report['p99_us']} us, "
            f"server {report['server_cpu_us']} us a request"
        )
        expect_equal(report["statuses"], {"200": report["requests"]}, "answers by status")
        expect_equal((report["wrong"], report["lost"]), (0, 0), "wrong and lost answers")
        statistics = server.stop_clean()
    say(json.dumps(statistics))
    requests = report["sent_in_all"]
    writes = 640 + report["puts"]
    expect_equal(statistics["threads"], 2, "threads")
    expect_equal(statistics["requests"], requests, "requests, of those that the client sent")
    expect_equal(
        statistics["accepted"], report["connected_in_all"], "accepted, of the client's connections"
    )
    expect_equal(statistics["tickets"], requests, "tickets: every request was admitted")
    expect_equal(
        statistics["burst_events"],
        requests,
        "burst_events: every request ran in a burst and went well",
    )
    expect(0 < statistics["bursts"] <= requests, f"{statistics['bursts']} bursts")
    expect(
        0 < statistics["commit_groups"] <= writes,
        f"{statistics['commit_groups']} saves of {writes} writes",
    )
    expect(
        statistics["commit_groups"] + statistics["grouped_commits"] <= statistics["bursts"],
        "more commits than bursts",
    )
    if (
        file_system(context.directory) not in TMPFS_MAGIC_NAMES
    ):  # where a save takes time, the other thread joins it
        expect(
            statistics["grouped_commits"] > 0,
            "no commit of one thread ever shared the save of the other",
        )
    expect_equal(
        (statistics["expired"], statistics["budget_rejections"]),
        (0, 0),
        "expired and budget_rejections",
    )
    expect(
        0 < statistics["peak_retained_payload_bytes"] <= 2 * (64 << 20),
        "the peak is over the budget",
    )
    expect(
        statistics["borrowed_output_bytes"] >= report["gets"] * 1500 // 2,
        "the documents' bytes were not lent",
    )


class Rude(threading.Thread):
    """A client that leaves at any moment."""

    def __init__(self, server, seed, end):
        super().__init__()
        self.server = server
        self.numbers = random.Random(seed)
        self.end = end
        self.left = 0
        self.failure = None

    def run(self):
        try:
            while time.monotonic() < self.end:
                self.visit()
        except Exception as failure:  # for the main thread to tell
            self.failure = failure

    def visit(self):
        try:
            client = self.server.client(receive_buffer=self.numbers.choice((0, 4096)))
        except OSError:
            return
        try:
            key = f"k{self.numbers.randrange(20)}"
            size = self.numbers.choice((0, 10, 5000, 200_000, 3_000_000))
            put = client.text(
                "PUT", f"/objects/{key}", self.numbers.randbytes(size), [condition(0)]
            )
            text = self.numbers.choice(
                (put, client.text("GET", f"/objects/{key}") * 40, b"PUT / HTTP/9.9\r\n\r\n")
            )
            client.send(
                text[: self.numbers.choice((len(text), self.numbers.randrange(len(text)) + 1))]
            )
            if self.numbers.random() < 0.3:
                client.socket.settimeout(0.05)
                client.read()
        except (Closed, OSError):
            pass
        self.left += 1
        if self.numbers.random() < 0.5:
            client.reset()
        else:
            client.close()


@test
def everything_is_released_though_clients_leave_at_any_moment(context):
    with Server(context, "--threads", 2, "--budget", "8M", "--timeout-ms", 1000) as server:
        end = time.monotonic() + context.arguments.seconds / 2
        clients = [Rude(server, seed, end) for seed in range(8)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        for client in clients:
            if client.failure:
                raise client.failure
        # Some of it is still on its way: nothing needs to be quiet for the books to balance.
        statistics = server.stop_clean()
    say(f"{sum(client.left for client in clients)} clients left; {json.dumps(statistics)}")
    expect(
        statistics["peak_retained_payload_bytes"] <= 2 * (8 << 20),
        "the peak is over the budget of two threads",
    )
    expect(statistics["accepted"] > 0, "nobody came")


@test
def a_quiet_server_holds_nothing_after_its_clients_have_left(context):
    with Server(context, "--threads", 2, "--timeout-ms", 1000) as server:
        before = server.stats()
        expect_equal(before["retained_payload_bytes"], 0, "retained at the start")
        sockets = server.sockets_open()
        end = time.monotonic() + 2
        clients = [Rude(server, 100 + seed, end) for seed in range(4)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        wait_until(
            # Fewer: the connection that asked for the statistics had not been closed yet.
            lambda: server.sockets_open() <= sockets,
            5,
            "no more sockets than before the clients came",
        )
        def quiet():
            now = server.stats()
            return (now["active"], now["retained_payload_bytes"]) == (1, 0)  # active: who asks

        wait_until(quiet, 5, "nobody is active but who asks, and nothing is retained")
        after = server.stats()
        expect_equal(after["tickets"], after["releases"], "tickets and releases")
        server.stop_clean()


def add_arguments(parser):
    parser.add_argument("--load", required=True, help="the load loop of bench/load")
    parser.add_argument("--seconds", type=float, default=10, help="length of the mixed load")


if __name__ == "__main__":
    main(__doc__, add_arguments)
