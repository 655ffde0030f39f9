"""kill -9 at random moments under load: all that was acknowledged is there, and nothing else is."""

import os
import random
import subprocess
import threading
import time

from client import Closed, condition
from commands import run
from harness import Failure, effort, expect, expect_equal, main, say, test
from journal import Journal, make_value, read_value
from server import Server

WRITERS = 6
OWN_KEYS = 6
SHARED_KEYS = 3
SIZES = (0, 10, 300, 1500, 4000, 30_000)
LARGE_BYTES = 300_000


class Writer(threading.Thread):
    """A client that writes its own keys, several at once, and shared ones that others write too."""

    def __init__(self, number, server, journal, seed):
        super().__init__()
        self.name = f"w{number}"
        self.server = server
        self.journal = journal
        self.numbers = random.Random(seed)
        self.own = [f"own-{number}-{i}" for i in range(OWN_KEYS)]
        self.shared = [f"shared-{i}" for i in range(SHARED_KEYS)]
        self.count = 0
        self.failure = None

    def run(self):
        try:
            with self.server.client() as client:
                known = {key: self.read(client, key) for key in self.own + self.shared}
                while True:
                    self.turn(client, known)
        except (Closed, OSError):
            pass  # the server was killed
        except Exception as failure:  # for the main thread to tell
            self.failure = failure

    def turn(self, client, known):
        """A pipeline of reads and writes; the same key may come several times."""
        sent = []
        expected = dict(known)
        text = b""
        for _ in range(self.numbers.choice((1, 1, 2, 4, 8))):
            key = self.numbers.choice(self.shared if self.numbers.random() < 0.2 else self.own)
            if self.numbers.random() < 0.25:
                sent.append(("GET", key, 0, None, self.journal.floor(key)))
                text += client.text("GET", f"/objects/{key}")
                continue
            revision = expected[key] + 1
            value = self.value(key, revision)
            self.journal.attempt(key, revision, value)
            sent.append(("PUT", key, revision, value, 0))
            text += client.text("PUT", f"/objects/{key}", value, [condition(expected[key])])
            expected[key] = revision
        client.send(text)
        for method, key, revision, value, floor in sent:
            answer = client.read()
            if method == "GET":
                self.take_read(key, answer, floor, known)
            else:
                self.take_write(key, revision, value, answer, known)

    def value(self, key, revision):
        self.count += 1
        size = LARGE_BYTES if self.numbers.random() < 0.01 else self.numbers.choice(SIZES)
        return make_value(
            key,
            revision,
            f"{self.name}.{self.numbers.randrange(1 << 30)}",
            self.numbers.randbytes(size),
        )

    def take_write(self, key, revision, value, answer, known):
        if answer.status == 200:
            expect_equal(answer.revision, revision, f"the revision of a write of {key}")
            self.journal.acknowledge(key, revision, value)
            known[key] = revision
        elif answer.status == 412:
            known[key] = answer.revision
        else:
            raise Failure(f"a write of {key} was answered {answer!r}")

    def take_read(self, key, answer, floor, known):
        if answer.status == 404:
            expect_equal(floor, 0, f"{key} is gone; the revision that was shown before")
        else:
            expect_equal(answer.status, 200, f"a read of {key}")
            self.journal.show(key, answer.revision, answer.body, floor)
            known[key] = max(known[key], answer.revision) if key in self.own else answer.revision

    def read(self, client, key):
        floor = self.journal.floor(key)  # of before the read is sent: others write meanwhile
        return read_and_check(client, self.journal, key, floor)


def read_and_check(client, journal, key, floor):
    """The revision that a read shows; 0: there is none."""
    answer = client.get(key)
    if answer.status == 404:
        expect_equal(floor, 0, f"{key} is gone; the revision that was shown before")
        return 0
    expect_equal(answer.status, 200, f"a read of {key}")
    journal.show(key, answer.revision, answer.body, floor)
    return answer.revision


def check_all(server, journal):
    """Every key that was ever asked for."""
    with server.client() as client:
        for key in journal.keys():
            read_and_check(client, journal, key, journal.floor(key))


def check_offline(context, journal):
    """The tools see the same, and no key that nobody asked for."""
    listed = run(context, "store", "list", context.path("store"))
    expect_equal(listed.returncode, 0, f"pure store list: {listed.stderr!r}")
    keys = []
    for line in listed.stdout.decode().splitlines():
        key, revision, size = line.split("\t")
        expect(int(revision) >= journal.floor(key), f"{key} is listed at revision {revision}")
        keys.append(key)
    expect(
        set(keys) <= set(journal.keys()),
        f"keys that nobody asked for: {set(keys) - set(journal.keys())}",
    )
    expect(all(key in keys for key in journal.keys() if journal.floor(key)), "a key is not listed")
    one = random.choice(keys)
    value = run(context, "store", "get", context.path("store"), one)
    expect_equal(value.returncode, 0, f"pure store get {one}: {value.stderr!r}")
    expect_equal(read_value(value.stdout)[0], one, "the key inside the value of pure store get")
    verified = run(context, "store", "verify", context.path("store"))
    expect_equal(
        verified.returncode, 0, f"pure store verify: {verified.stdout!r} {verified.stderr!r}"
    )


def kill_while_opening(context, options, numbers):
    """A start that is killed at a random moment, most often within its recovery."""
    server = Server(context, *options).spawn()
    time.sleep(numbers.uniform(0, 0.03))
    server.kill()


def cycle(context, journal, number, numbers):
    options = ("--threads", 1 + number % 2)
    if number % 5 == 4:
        kill_while_opening(context, options, numbers)
    with Server(context, *options) as server:
        check_all(server, journal)
        writers = [Writer(i, server, journal, numbers.randrange(1 << 60)) for i in range(WRITERS)]
        for writer in writers:
            writer.start()
        time.sleep(numbers.choice((numbers.uniform(0, 0.03), numbers.uniform(0.03, 0.4))))
        expect_equal(server.process.poll(), None, "the server's own end")
        server.kill()
        for writer in writers:
            writer.join()
        for writer in writers:
            if writer.failure:
                raise writer.failure


@test
def nothing_acknowledged_is_lost_and_nothing_is_invented(context):
    numbers = random.Random(context.arguments.seed)
    journal = Journal(context.path("journal"))
    begun = time.monotonic()
    cycles = context.arguments.cycles * effort()
    for number in range(cycles):
        try:
            cycle(context, journal, number, numbers)
            if number % 10 == 9:
                check_offline(context, journal)
        except (Failure, Closed, OSError, subprocess.SubprocessError) as failure:
            raise Failure(
                f"cycle {number} of seed {context.arguments.seed}: {failure!r}"
            ) from failure
    with Server(context) as server:
        check_all(server, journal)
        server.stop_clean()
    with Server(context) as server:  # after a clean stop too
        check_all(server, journal)
        server.stop_clean()
    journal.close()
    seconds = time.monotonic() - begun
    say(
        f"{cycles} cycles in {seconds:.0f} s (seed {context.arguments.seed}): "
        f"{journal.acknowledged} writes acknowledged and {journal.read} reads checked over "
        f"{len(journal.keys())} keys, 0 lost, 0 invented"
    )
    expect(
        journal.acknowledged > 10 * cycles,
        "too few writes were acknowledged to say anything",
    )


@test
def a_change_of_one_byte_would_be_seen(context):
    """The check itself: a changed bit, an old value and one that nobody sent do not pass."""
    journal = Journal(context.path("journal"))
    old, new = make_value("k", 1, "w", b"a" * 100), make_value("k", 2, "w", b"b" * 100)
    for revision, value in ((1, old), (2, new)):
        journal.attempt("k", revision, value)
        journal.acknowledge("k", revision, value)
    journal.show("k", 2, new, 2)
    changed = bytearray(new)
    changed[HEAD_AND_SOME] ^= 1
    unsent = make_value("k", 2, "w", b"c" * 100)
    for revision, value, what in (
        (2, bytes(changed), "a changed bit"),
        (1, old, "an old value"),
        (2, unsent, "a value that nobody sent"),
        (3, new, "a wrong revision"),
    ):
        try:
            journal.show("k", revision, value, 2)
        except Failure:
            continue
        raise Failure(f"{what} passes")
    journal.close()


HEAD_AND_SOME = 200


def add_arguments(parser):
    parser.add_argument("--cycles", type=int, default=100, help="starts and kills")
    parser.add_argument(
        "--seed",
        type=int,
        default=int.from_bytes(os.urandom(4), "big"),
        help="of the random choices",
    )


if __name__ == "__main__":
    main(__doc__, add_arguments)
