"""`pure store compact`: gives space back, and changes nothing else."""

import json
import random
import subprocess
import time

from commands import environment, expect_run
from harness import expect, expect_equal, main, say, test
from server import Server

VALUE = 100_000
KEYS = 8


def fill(context, store, revisions):
    with Server(context, store=store) as server, server.client() as client:
        for revision in range(revisions):
            for i in range(KEYS):
                value = bytes([revision % 251]) * VALUE
                expect_equal(client.put(f"key{i}", value, revision).status, 200, "PUT")
        server.stop_clean()


def line(context, *arguments):
    return json.loads(expect_run(context, *arguments, status=0, stderr="", seconds=120))


def dumped(context, store):
    return expect_run(context, "store", "dump", store, status=0, stderr="")


@test
def replaced_values_are_given_back_and_nothing_else(context):
    store = context.path("store")
    fill(context, store, 40)
    before = line(context, "store", "stat", store)
    documents = dumped(context, store)
    compacted = line(context, "store", "compact", store)
    say(f"{compacted['store_bytes_before']} bytes, then {compacted['store_bytes']}")
    expect_equal(compacted["store_bytes_before"], before["store_bytes"], "the size before")
    expect_equal(compacted["keys"], KEYS, "keys")
    expect(
        compacted["dead_bytes"] <= compacted["live_bytes"], f"dead bytes are left: {compacted!r}"
    )
    expect(
        compacted["store_bytes"] * 3 <= before["store_bytes"], f"hardly any was freed: {compacted!r}"
    )
    expect_equal(dumped(context, store), documents, "the documents")
    expect_equal(line(context, "store", "verify", store)["damages"], 0, "damages")
    with Server(context, store=store) as server, server.client() as client:
        expect_equal(client.put("key0", b"next", 40).revision, 41, "the next revision")
        expect_run(context, "store", "compact", store, status=1, stdout="")
        server.stop_clean()


@test
def a_compaction_that_is_killed_loses_nothing(context):
    store = context.path("store")
    fill(context, store, 30)
    documents = dumped(context, store)
    chance = random.Random(6)
    for _ in range(8):
        process = subprocess.Popen(
            [context.pure, "store", "compact", store],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment(),
        )
        time.sleep(chance.random() * 0.3)
        process.kill()
        _, stderr = process.communicate()
        expect(process.returncode in (0, -9), f"status {process.returncode}: {stderr!r}")
        expect_equal(dumped(context, store), documents, "the documents after the kill")
    line(context, "store", "compact", store)
    expect_equal(dumped(context, store), documents, "the documents")
    expect_equal(line(context, "store", "verify", store)["damages"], 0, "damages")


if __name__ == "__main__":
    main(__doc__)
