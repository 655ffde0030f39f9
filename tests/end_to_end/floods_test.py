"""Crowds: idle, slow and rude clients, too few descriptors. A good client is served meanwhile."""

import random
import socket
import struct
import threading
import time

from client import Client, Closed
from harness import (
    Failure,
    expect,
    expect_equal,
    main,
    raise_descriptor_limit,
    say,
    test,
    wait_until,
)
from server import Server

GOOD_MS = 100  # what a good client may have to wait
IDLE_SHARE = 0.02  # of a core, of a server with nothing to do
ROUNDS = 3  # the machine itself pauses now and then; three rounds in a row it does not


class Good:
    """A client that wants its document, again and again."""

    def __init__(self, server):
        self.client = server.client()
        self.key = f"good-{random.randrange(1 << 30)}"
        self.revision = self.client.put(self.key, b"x" * 1500).revision

    def times_ms(self, count, pause_s=0.004):
        """How long each of some reads and writes took."""
        times = []
        for i in range(count):
            begun = time.monotonic()
            if i % 8 == 7:
                answer = self.client.put(self.key, b"y" * 1500, self.revision)
                self.revision += 1
            else:
                answer = self.client.get(self.key)
            times.append((time.monotonic() - begun) * 1000)
            expect_equal(
                (answer.status, answer.revision), (200, self.revision), "the good client's answer"
            )
            time.sleep(pause_s)
        return sorted(times)

    def expect_prompt(self, what, count=250):
        for _ in range(ROUNDS):
            times = self.times_ms(count)
            say(
                f"{what}: a good client waits {times[len(times) // 2]:.1f} ms (median), "
                f"{times[-1]:.1f} ms (worst of {count})"
            )
            if times[-1] < GOOD_MS:
                return
        raise Failure(f"{what}: a good client waited {times[-1]:.0f} ms, in {ROUNDS} rounds")


def connect_many(server, count):
    """Connections that say nothing, spread over loopback addresses so that ports do not run out."""
    sockets = []
    for i in range(count):
        one = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        one.settimeout(10)
        one.bind((f"127.0.{i // 5000 + 1}.{i % 7 + 1}", 0))
        one.connect(("127.0.0.1", server.port))
        sockets.append(one)
    return sockets


class Drip(threading.Thread):
    """Sends a request's head to each of its connections, a byte at a time."""

    TEXT = b"GET /objects/drip HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Filler: " + b"x" * 3000

    def __init__(self, sockets, every_s):
        super().__init__()
        self.sockets = sockets
        self.every_s = every_s
        self.stopping = threading.Event()
        self.sent = 0

    def run(self):
        while not self.stopping.wait(self.every_s):
            for one in self.sockets:
                try:
                    one.send(self.TEXT[self.sent : self.sent + 1])
                except OSError:
                    pass
            self.sent += 1

    def stop(self):
        self.stopping.set()
        self.join()


def expect_idle(server, what):
    share = server.cpu_share(2)
    say(f"{what}: {share * 100:.1f} % of a core")
    expect(share < IDLE_SHARE, f"{what}: {share * 100:.1f} % of a core")


@test
def an_idle_server_uses_no_processor_time(context):
    with Server(context, "--threads", 2) as server:
        expect_idle(server, "nobody connected")
        with server.client() as client:
            client.get("note")
            expect_idle(server, "one client that says nothing")
        server.stop_clean()


@test
def a_good_client_is_served_beside_thousands_of_idle_and_slow_ones(context):
    idle, slow = context.arguments.idle, context.arguments.slow
    available = raise_descriptor_limit(idle + slow + 200) - 200
    if available < idle + slow:
        idle = max(available - slow, 0)
        say(f"only {idle} idle connections: the system allows {available + 200} descriptors")
    with Server(context, "--connections", idle + slow + 100, "--timeout-ms", 120_000) as server:
        sockets_before = server.sockets_open()
        resident_before = server.resident_bytes()
        good = Good(server)
        idle_sockets = connect_many(server, idle)
        slow_sockets = connect_many(server, slow)
        drip = Drip(slow_sockets, 0.2)
        drip.start()
        try:
            wait_until(lambda: server.stats()["active"] >= idle + slow + 1, 10, "all are accepted")
            good.expect_prompt(f"{idle} idle and {slow} slow connections")
        finally:
            drip.stop()
        expect(drip.sent > 2, "the slow ones sent nothing")
        expect_idle(server, f"{idle + slow} connections that say nothing")
        each = (server.resident_bytes() - resident_before) / (idle + slow)
        say(f"{each:.0f} bytes of resident memory a connection")
        for one in idle_sockets + slow_sockets:
            one.close()
        wait_until(
            lambda: server.sockets_open() <= sockets_before + 1, 10, "the connections are closed"
        )
        good.expect_prompt("after they have left")
        expect_equal(server.stats()["active"], 2, "active: the good client, and who asks")
        good.client.close()
        server.stop_clean()


@test
def slow_heads_end_at_their_deadline_and_idle_clients_make_room(context):
    with Server(context, "--connections", 64, "--timeout-ms", 1500) as server:
        slow_sockets = connect_many(server, 20)
        begun = time.monotonic()
        drip = Drip(slow_sockets, 0.1)
        drip.start()
        try:
            for one in slow_sockets:
                answer = one.recv(4096)
                expect(
                    answer.startswith(b"HTTP/1.1 408 "), f"a slow head is answered {answer[:60]!r}"
                )
        finally:
            drip.stop()
        seconds = time.monotonic() - begun
        expect(
            1.2 < seconds < 4, f"slow heads were cut after {seconds:.1f} s, where 1.5 s are allowed"
        )
        for one in slow_sockets:
            one.close()
        expect_equal(server.stats()["expired"], 20, "expired")
        # More than there is room for: whoever comes is served.
        crowd = connect_many(server, 200)
        Good(server).expect_prompt("200 idle connections where 64 have room", 50)
        for one in crowd:
            one.close()
        server.stop_clean()


def storm(server, end, numbers):
    """Connects and resets until then, at any point of a request."""
    count = 0
    head = b"PUT /objects/storm HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n"
    text = head + b"If-None-Match: *\r\n\r\n0123456789"
    linger = struct.pack("ii", 1, 0)
    while time.monotonic() < end:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            one.settimeout(5)
            try:
                one.connect(("127.0.0.1", server.port))
                one.send(text[: numbers.randrange(len(text) + 1)])
            except OSError:
                pass
        count += 1
    return count


@test
def a_good_client_is_served_in_a_storm_of_connections_that_are_reset(context):
    with Server(context, "--threads", 2) as server:
        sockets_before = server.sockets_open()
        good = Good(server)
        counts = []
        end = time.monotonic() + 3
        storms = [
            threading.Thread(
                target=lambda seed=seed: counts.append(storm(server, end, random.Random(seed)))
            )
            for seed in range(2)
        ]
        for one in storms:
            one.start()
        times = good.times_ms(200)
        for one in storms:
            one.join()
        say(
            f"{sum(counts)} connections reset in 3 s; a good client waits "
            f"{times[100]:.1f} ms (median), {times[-3]:.1f} ms (1 in 100)"
        )
        expect(sum(counts) > 500, "that is no storm")
        expect(times[-3] < GOOD_MS, f"a good client waited {times[-3]:.0f} ms")
        good.client.close()
        wait_until(
            lambda: server.sockets_open() <= sockets_before, 10, "the connections are closed"
        )
        server.stop_clean()


@test
def running_out_of_descriptors_neither_spins_nor_lasts(context):
    with Server(context, "--connections", 1000, "--timeout-ms", 60_000, descriptors=64) as server:
        good = Good(server)
        crowd = []
        for _ in range(150):  # the kernel's queue takes those that the server can not
            one = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            one.settimeout(2)
            try:
                one.connect(("127.0.0.1", server.port))
            except OSError:
                one.close()
                break
            crowd.append(one)
        expect(len(crowd) > 64, f"only {len(crowd)} connections came to be")
        time.sleep(0.3)
        expect(server.sockets_open() > 20, "the server took none of them")
        share = server.cpu_share(2)
        say(f"{len(crowd)} clients where 64 descriptors are allowed: {share * 100:.1f} % of a core")
        expect(share < 0.1, f"out of descriptors it uses {share * 100:.0f} % of a core")
        good.times_ms(20)
        for one in crowd:
            one.close()
        begun = time.monotonic()
        with server.client(seconds=10) as client:
            expect_equal(
                client.get(good.key).status, 200, "a new client's read after the crowd has left"
            )
        say(
            f"a new client was answered {(time.monotonic() - begun) * 1000:.0f} ms "
            "after the crowd had left"
        )
        Good(server).expect_prompt("after the crowd has left", 50)
        server.stop_clean()


GET = b"GET /objects/a HTTP/1.1\r\n"
PUT = b"PUT /objects/a HTTP/1.1\r\nHost: 127.0.0.1\r\n"
BAD = [
    (b"GET  /objects/a HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 400),
    (GET + b"Host 127.0.0.1\r\n\r\n", 400),
    (GET + b"\r\n", 400),
    (GET + b"Host: 127.0.0.1\r\nHost: 127.0.0.1\r\n\r\n", 400),
    (b"GET /objects/a HTTP/1.1\nHost: 127.0.0.1\n\n", 400),
    (b"GET /objects/a HTTP/2.0\r\nHost: 127.0.0.1\r\n\r\n", 505),
    (
        PUT + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        411,
    ),
    (
        PUT + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        400,
    ),
    (
        PUT + b"Content-Length: 99999999999\r\nIf-None-Match: *\r\n\r\n",
        413,
    ),
    (b"GET /" + b"a" * 5000, 414),
    (GET + b"Host: 127.0.0.1\r\nX: " + b"x" * 5000 + b"\r\n\r\n", 431),
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
    (b"\x00" * 100, 400),
]


@test
def ten_thousand_bad_requests_are_each_refused(context):
    with Server(context) as server:
        sockets_before = server.sockets_open()
        begun = time.monotonic()
        for i in range(context.arguments.bad):
            text, status = BAD[i % len(BAD)]
            # Other loopback addresses, so that closed connections do not use up the ports of one.
            with Client(("127.0.0.1", server.port), source=f"127.0.2.{i % 200 + 1}") as client:
                client.send(text)
                try:
                    answer = client.read()
                except Closed as closed:
                    raise Failure(f"{text[:60]!r} was not answered: {closed}") from None
                expect_equal(answer.status, status, f"the answer to {text[:60]!r}")
        say(f"{context.arguments.bad} in {time.monotonic() - begun:.1f} s")
        Good(server).expect_prompt("after them", 50)
        wait_until(
            lambda: server.sockets_open() <= sockets_before + 1, 10, "the connections are closed"
        )
        server.stop_clean()


def add_arguments(parser):
    parser.add_argument("--idle", type=int, default=5000, help="connections that say nothing")
    parser.add_argument(
        "--slow", type=int, default=500, help="connections that send a byte at a time"
    )
    parser.add_argument("--bad", type=int, default=10_000, help="bad requests")


if __name__ == "__main__":
    main(__doc__, add_arguments)
