"""How a server stops: promptly, with what it took answered, and by force when it is told twice."""

import os
import re
import signal
import threading
import time

from client import Client, Closed, condition
from harness import Failure, expect, expect_equal, main, say, test, wait_until
from server import Server


@test
def an_idle_server_stops_within_a_second(context):
    for number in (signal.SIGTERM, signal.SIGINT):
        with Server(context, "--threads", 2) as server:
            ended = server.stop(number)
            expect_equal(ended.status, 0, f"exit status after signal {number}")
            expect(ended.seconds < 1, f"it took {ended.seconds:.2f} s")


@test
def idle_clients_do_not_hold_up_a_stop(context):
    with Server(context) as server:
        clients = [server.client() for _ in range(20)]
        for client in clients[:10]:
            expect_equal(client.get("a").status, 404)
        ended = server.stop()
        expect_equal(ended.status, 0, "exit status")
        expect(ended.seconds < 2, f"it took {ended.seconds:.2f} s")
        for client in clients:
            expect(client.ended(), "a connection is still open")


@test
def a_clean_stop_leaves_nothing_to_repair(context):
    with Server(context) as server, server.client() as client:
        for i in range(50):
            client.put(f"k{i}", os.urandom(5000))
        server.stop_clean()
    before = {
        name: os.stat(os.path.join(context.path("store"), name)).st_ino
        for name in os.listdir(context.path("store"))
    }
    with Server(context) as server:
        expect_equal(server.request("GET", "/objects/k7").status, 200)
        server.stop_clean()
    after = {
        name: os.stat(os.path.join(context.path("store"), name)).st_ino
        for name in os.listdir(context.path("store"))
    }
    sealed = [name for name in before if name.startswith("seg-")]
    expect(
        all(after.get(name) == before[name] for name in sealed),
        f"segments were copied: {before} {after}",
    )


@test
def a_request_on_its_way_is_answered_and_no_new_one_is_taken(context):
    with Server(context) as server:
        slow, later = server.client(), server.client()
        half = slow.text("PUT", "/objects/slow", b"x" * 100_000, [condition(0)])
        slow.send(half[:50_000])
        wait_until(
            lambda: server.stats()["retained_payload_bytes"] >= 100_000, 5, "the body is admitted"
        )
        server.send_signal(signal.SIGTERM)
        time.sleep(0.1)
        slow.send(half[50_000:])
        answer = slow.read()
        expect_equal((answer.status, answer.revision), (200, 1), "the request that had been taken")
        try:
            later.send(later.text("PUT", "/objects/later", b"x", [condition(0)]))
            answer = later.read()
            expect_equal(
                (answer.status, answer.error), (503, "stopped"), "a request after the signal"
            )
        except (Closed, OSError):
            pass  # its idle connection had been closed already
        try:
            with Client(("127.0.0.1", server.port), seconds=2) as new:
                new.get("a")
            raise Failure("a new client is served while stopping")
        except (Closed, OSError):
            pass
        ended = server.wait()
        expect_equal(ended.status, 0, "exit status")
        statistics = ended.statistics()
        expect_equal(
            (statistics["active"], statistics["retained_payload_bytes"]),
            (0, 0),
            "active and retained",
        )
    with Server(context) as server:
        expect_equal(
            server.request("GET", "/objects/slow").body,
            b"x" * 100_000,
            "what was answered before the end",
        )
        expect_equal(server.request("GET", "/objects/later").status, 404, "what was refused")
        server.stop_clean()


class Writer(threading.Thread):
    """Writes until its connection ends."""

    def __init__(self, server, number):
        super().__init__()
        self.server = server
        self.key = f"w{number}"
        self.acknowledged = 0
        self.refused = 0
        self.failure = None

    def run(self):
        try:
            with self.server.client() as client:
                while True:
                    answer = client.put(
                        self.key, b"%d" % (self.acknowledged + 1), self.acknowledged
                    )
                    if answer.status == 200:
                        self.acknowledged = answer.revision
                    elif (answer.status, answer.error) == (503, "stopped"):
                        self.refused += 1
                        if self.refused > 1000:
                            self.failure = Failure("the connection goes on though the server stops")
                            return
                    else:
                        self.failure = Failure(f"a write while stopping was answered {answer!r}")
                        return
        except (Closed, OSError):
            pass


@test
def a_stop_under_load_answers_what_was_taken(context):
    for threads in (1, 2):
        store = context.path(f"store{threads}")
        with Server(context, "--threads", threads, store=store) as server:
            writers = [Writer(server, i) for i in range(8)]
            for writer in writers:
                writer.start()
            time.sleep(0.7)
            ended = server.stop()
            for writer in writers:
                writer.join()
        for writer in writers:
            if writer.failure:
                raise writer.failure
        expect_equal(ended.status, 0, f"exit status; {ended.stderr!r}")
        expect(ended.seconds < 5, f"it took {ended.seconds:.2f} s")
        statistics = ended.statistics()
        expect_equal(
            (statistics["active"], statistics["retained_payload_bytes"]),
            (0, 0),
            "active and retained",
        )
        say(
            f"{sum(w.acknowledged for w in writers)} writes before the stop, "
            f"which took {ended.seconds * 1000:.0f} ms; "
            f"{sum(w.refused for w in writers)} refused"
        )
        with Server(context, store=store) as server, server.client() as client:
            for writer in writers:
                # Nobody was left without an answer, so no write more is there.
                expect_equal(
                    client.get(writer.key).revision,
                    writer.acknowledged,
                    f"revision of {writer.key}",
                )
            server.stop_clean()


@test
def clients_that_do_not_read_can_not_hold_up_a_stop_longer_than_its_limit(context):
    with Server(context, "--drain-ms", 1000) as server:
        with server.client() as client:
            client.put("big", b"x" * (8 << 20))
        lazy = server.client(receive_buffer=4096)
        lazy.send(lazy.text("GET", "/objects/big"))
        time.sleep(0.2)
        ended = server.stop()
        expect_equal(ended.status, 0, "exit status")
        expect(ended.seconds < 3, f"it took {ended.seconds:.2f} s, where 1 s is allowed")
        statistics = ended.statistics()
        expect_equal(
            (statistics["active"], statistics["retained_payload_bytes"]),
            (0, 0),
            "active and retained",
        )
        lazy.close()


@test
def a_second_signal_ends_it_at_once_and_loses_nothing(context):
    with Server(context, "--drain-ms", 30_000) as server:
        with server.client() as client:
            client.put("a", b"kept")
            client.put("big", b"x" * (8 << 20))
        lazy = server.client(receive_buffer=4096)
        lazy.send(lazy.text("GET", "/objects/big"))
        time.sleep(0.2)
        server.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        begun = time.monotonic()
        server.send_signal(signal.SIGTERM)
        server.wait(5, begun)
        expect(time.monotonic() - begun < 1, "the second signal took more than a second")
        lazy.close()
    with Server(context) as server:
        expect_equal(server.request("GET", "/objects/a").body, b"kept", "after an end by force")
        server.stop_clean()


@test
def health_readiness_and_counters_are_shown_while_it_runs(context):
    with Server(context) as server, server.client() as client:
        expect_equal(client.request("GET", "/-/health").status, 200, "health")
        expect_equal(client.request("GET", "/-/ready").status, 200, "ready")
        before = server.stats()["commit_groups"]
        client.put("a", b"x" * 10)
        expect_equal(server.stats()["commit_groups"], before + 1, "commit_groups at /-/stats")
        metrics = client.request("GET", "/-/metrics").body.decode()
        counted = re.search(r"^pure_requests_total (\d+)$", metrics, re.M)
        expect(
            counted and int(counted.group(1)) >= 4, f"the requests so far are not in {metrics!r}"
        )
        slow = server.client()
        slow.send(slow.text("PUT", "/objects/b", None, [condition(0), ("Content-Length", 5)]))
        wait_until(lambda: server.stats()["retained_payload_bytes"] == 5, 5, "the body is admitted")
        server.send_signal(signal.SIGTERM)
        time.sleep(0.1)
        slow.send(b"hello")
        expect_equal(slow.read().status, 200, "what had been taken")
        expect_equal(server.wait().status, 0, "exit status")


if __name__ == "__main__":
    main(__doc__)
