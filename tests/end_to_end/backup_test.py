"""`pure store backup` and `restore`: whole or nothing, under load, damage and kills."""

import base64
import json
import os
import random
import re
import subprocess
import threading
import time

from commands import environment, expect_run, run
from harness import expect, expect_equal, main, say, test
from server import Server
from store_files import find, flip, snapshot


def value_of(key, revision, size=3000):
    """What is written as this revision of the key: a torn one would be another."""
    text = f"<<{key}.{revision}>>".encode()
    return text + bytes((revision * 31 + i) % 251 for i in range(size))


def dumped(context, store):
    """Key to (revision, bytes) of a store that no server has open."""
    return parse_dump(expect_run(context, "store", "dump", store, status=0, stderr="", seconds=60))


def parse_dump(text):
    found = {}
    for line in text.splitlines():
        document = json.loads(line)
        found[document["key"]] = (
            document["revision"],
            base64.b64decode(document["value"]["base64"], validate=True),
        )
    return found


def fill(context, store, documents, size):
    with Server(context, store=store) as server, server.client() as client:
        for i in range(documents):
            answer = client.put(f"key{i}", value_of(f"key{i}", 1, size))
            expect_equal(answer.status, 200, "PUT")
        server.stop_clean()


class Writer(threading.Thread):
    """Replaces its own keys, one request after the other, and notes what was acknowledged."""

    def __init__(self, server, name):
        super().__init__()
        self.client = server.client()
        self.name = name
        self.acknowledged = {}  # key to revision
        self.ended = threading.Event()
        self.failure = None

    def run(self):
        try:
            while not self.ended.is_set():
                for i in range(5):
                    key = f"{self.name}-{i}"
                    revision = self.acknowledged.get(key, 0)
                    answer = self.client.put(key, value_of(key, revision + 1), revision)
                    expect_equal(answer.status, 200, f"PUT {key}")
                    self.acknowledged[key] = revision + 1
        except Exception as failure:  # told by the main thread
            self.failure = failure
        finally:
            self.client.close()


def expect_backup_holds(context, backup, acknowledged, limits):
    """At least what was acknowledged before, at most what was written at all, and no torn value."""
    verified = json.loads(expect_run(context, "store", "verify", backup, status=0, stderr=""))
    expect_equal(verified["damages"], 0, "damages of the backup")
    found = dumped(context, backup)
    for key, revision in acknowledged.items():
        expect(key in found, f"{key} is not in the backup")
        expect(
            revision <= found[key][0] <= limits[key] + 1,
            f"{key}: revision {found[key][0]}, {revision} was acknowledged, {limits[key]} is the last",
        )
    for key, (revision, value) in found.items():
        expect_equal(value, value_of(key, revision), f"the value of {key} at revision {revision}")


@test
def a_backup_under_load_holds_all_that_was_acknowledged_before(context):
    with Server(context, "--threads", 2) as server:
        writers = [Writer(server, f"w{i}") for i in range(4)]
        for writer in writers:
            writer.start()
        taken = []
        try:
            for i in range(4):
                time.sleep(0.4)
                acknowledged = {}
                for writer in writers:
                    acknowledged.update(writer.acknowledged)
                backup = context.path(f"backup{i}")
                counts = json.loads(
                    expect_run(
                        context, "store", "backup", server.store, backup, status=0, stderr=""
                    )
                )
                say(f"{counts['frames']} saves in the backup, {counts['bytes']} bytes")
                expect_equal(os.stat(backup).st_mode & 0o777, 0o700, "mode of the backup")
                taken.append((backup, acknowledged))
        finally:
            for writer in writers:
                writer.ended.set()
            for writer in writers:
                writer.join()
        for writer in writers:
            expect(writer.failure is None, f"a writer failed: {writer.failure!r}")
        limits = {}
        for writer in writers:
            limits.update(writer.acknowledged)
        for backup, acknowledged in taken:
            expect_backup_holds(context, backup, acknowledged, limits)
        server.stop_clean()
    with Server(context, store=taken[-1][0]) as server, server.client() as client:
        for key, revision in taken[-1][1].items():
            expect(client.get(key).revision >= revision, f"{key} as the backup is served")
        server.stop_clean()


@test
def a_restored_backup_is_the_same_store(context):
    store, backup, back = (context.path(name) for name in ("store", "backup", "back"))
    fill(context, store, 50, 3000)
    before = snapshot(store)
    backed = json.loads(
        expect_run(context, "store", "backup", store, backup, status=0, stderr="")
    )
    restored = json.loads(
        expect_run(context, "store", "restore", backup, back, status=0, stderr="")
    )
    for field in ("segments", "frames", "bytes"):
        expect_equal(restored[field], backed[field], field)
    expect_equal((restored["keys"], restored["damages"]), (50, 0), "what was counted")
    expect_equal(dumped(context, back), dumped(context, store), "the documents")
    expect_equal(snapshot(store), before, "the source")
    with Server(context, store=back) as server, server.client() as client:
        expect_equal(client.put("key7", b"more", 1).revision, 2, "the next revision")
        stderr = re.compile("in use")
        expect_run(
            context, "store", "restore", back, context.path("no"), status=1, stdout="", stderr=stderr
        )
        expect(not os.path.exists(context.path("no")), "a refused restore made its directory")
        server.stop_clean()


@test
def a_damaged_value_is_named_and_not_copied(context):
    store = context.path("store")
    fill(context, store, 20, 3000)
    path, offset = find(store, b"<<key3.1>>")[0]
    flip(path, offset + 1000)
    before = snapshot(store)
    for verb in ("backup", "restore"):
        destination = context.path(verb)
        ended = run(context, "store", verb, store, destination)
        expect_equal((ended.returncode, ended.stdout), (3, b""), f"pure store {verb}")
        text = ended.stderr.decode()
        say(text.strip())
        for word in (os.path.basename(path), f"offset {offset}", "key key3"):
            expect(word in text, f"{word!r} is not in {text!r}")
        expect_equal(os.listdir(destination), ["LOCK"], "what was left")
        expect_run(context, "store", "stat", destination, status=1, stdout="")
    expect_equal(snapshot(store), before, "the damaged store")


@test
def a_destination_that_is_not_empty_is_refused_and_not_touched(context):
    store = context.path("store")
    fill(context, store, 3, 100)
    os.mkdir(context.path("full"), 0o700)
    context.write("full/letter", "of somebody else")
    letter = context.write("file", "no directory")
    for verb in ("backup", "restore"):
        for destination in (context.path("full"), store):
            before = snapshot(destination)
            expect_run(
                context,
                "store",
                verb,
                store,
                destination,
                status=1,
                stdout="",
                stderr=re.compile("not empty"),
            )
            expect_equal(snapshot(destination), before, "the refused destination")
        expect_run(context, "store", verb, store, letter, status=1, stdout="")
        missing = context.path("missing")
        expect_run(context, "store", verb, missing, context.path("new"), status=1, stdout="")
        expect_run(context, "store", verb, context.path("full"), context.path("new"), status=1)
        expect(not os.path.exists(missing), "a source was made")
        expect(not os.path.exists(context.path("new")), "a destination was made for nothing")


def expect_whole_or_refused(context, destination, documents):
    """A killed copy left the whole store, or none; another copy into what it left is refused."""
    verified = run(context, "store", "verify", destination)
    if verified.returncode == 0:
        found = json.loads(verified.stdout)
        expect_equal((found["keys"], found["damages"]), (documents, 0), "the copy of a killed run")
        return True
    expect(verified.returncode in (1, 3), f"exit status {verified.returncode} for a partial copy")
    return False


@test
def a_copy_that_is_killed_leaves_the_whole_store_or_none(context):
    store = context.path("store")
    fill(context, store, 24, 1 << 20)
    before = snapshot(store)
    begun = time.monotonic()
    expect_run(context, "store", "backup", store, context.path("first"), status=0, seconds=60)
    seconds = time.monotonic() - begun
    chance = random.Random(4)
    killed = whole = 0
    for i in range(16):
        verb = ("backup", "restore")[i % 2]
        destination = context.path(f"copy{i}")
        process = subprocess.Popen(
            [context.pure, "store", verb, store, destination],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment(),
        )
        time.sleep(chance.random() * seconds)
        process.kill()
        killed += process.wait() != 0
        if not os.path.exists(destination):
            continue
        whole += expect_whole_or_refused(context, destination, 24)
        left = snapshot(destination)
        if any(name != "LOCK" for name in left):
            expect_run(
                context, "store", verb, store, destination, status=1, stderr=re.compile("not empty")
            )
            expect_equal(snapshot(destination), left, "what the killed copy left")
        for name in left:
            os.remove(os.path.join(destination, name))
    say(f"{killed} of 16 copies were killed within {seconds:.2f} s, {whole} were whole")
    expect(killed > 0, "no copy was killed")
    expect_equal(snapshot(store), before, "the source")


@test
def closed_outputs_harm_nothing(context):
    store = context.path("store")
    fill(context, store, 60, 3000)
    before = snapshot(store)
    reading = subprocess.Popen(
        [context.pure, "store", "dump", store],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    reading.stdout.read(10)
    reading.stdout.close()
    expect(reading.wait(20) in (0, 1, -13), f"status {reading.returncode} when nobody reads")
    reading.stderr.close()
    closed = {"1": ">&-", "2": "2>&-", "all": "<&- >&- 2>&-"}
    for name, closing in closed.items():
        for verb in ("list", "verify", "stat", "dump"):
            ended = subprocess.run(
                ["/bin/sh", "-c", f'exec "$0" store {verb} "$1" {closing}', context.pure, store],
                capture_output=True,
                timeout=30,
                check=False,
                env=environment(),
            )
            expect_equal(ended.returncode, 0 if name == "2" else 1, f"{verb} {closing}")
        backup = context.path(f"backup-{name}")
        subprocess.run(
            ["/bin/sh", "-c", f'exec "$0" store backup "$1" "$2" {closing}']
            + [context.pure, store, backup],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=30,
            check=False,
            env=environment(),
        )
        expect_equal(dumped(context, backup), dumped(context, store), f"the backup with {closing}")
    expect_equal(snapshot(store), before, "the store")


if __name__ == "__main__":
    main(__doc__)
