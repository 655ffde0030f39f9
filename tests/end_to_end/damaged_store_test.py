"""Stored bytes that changed: never served, named by their place, and never written over."""

import os
import re

from commands import run
from harness import expect, expect_equal, main, say, test
from server import Server, expect_refused
from store_files import find, flip, segments, snapshot

BLOCK = 4096


def marked(key, revision, size=3000):
    """A value that can be found in a file."""
    text = f"<<{key}.{revision}>>".encode()
    return text + bytes((len(text) * 7 + i) % 251 for i in range(size - len(text)))


def write_documents(context, count, store):
    """Some keys with several revisions each, over a clean stop; gives what stands."""
    values = {}
    with Server(context, store=store) as server, server.client() as client:
        for i in range(count):
            key = f"key{i % (count // 2)}"
            revision = values.get(key, (0, b""))[0]
            value = marked(key, revision + 1)
            expect_equal(client.put(key, value, revision).status, 200, f"PUT {key}")
            values[key] = (revision + 1, value)
        server.stop_clean()
    return values


def place(store, key, revision):
    """Where the value starts: the segment's path and the offset in it."""
    places = find(store, f"<<{key}.{revision}>>".encode())
    expect_equal(len(places), 1, f"places of revision {revision} of {key}")
    return places[0]


def expect_named(text, path, offset):
    """The text names the segment and an offset in the frame that was damaged."""
    name = os.path.basename(path)
    match = re.search(rf"(?:{name}|segment {int(name[4:], 16)}) (?:at )?offset (\d+)", text)
    expect(match, f"{name} and an offset are not in {text!r}")
    expect(
        abs(int(match.group(1)) - offset) <= 4 * BLOCK,
        f"offset {match.group(1)} is named, {offset} was changed",
    )


def expect_no_start(context, store, path, offset):
    """Exit 3, naming the place; every byte as it was."""
    before = snapshot(store)
    stderr = expect_refused(context, store=store, status=3)
    expect_named(stderr, path, offset)
    expect_equal(snapshot(store), before, "the store after the refusal")
    return stderr


@test
def a_changed_frame_header_keeps_the_server_from_starting(context):
    store = context.path("store")
    write_documents(context, 20, store)
    path, offset = place(store, "key3", 1)
    frame = offset // BLOCK * BLOCK
    for at in (frame, frame + 20, frame + 60):
        flip(path, at)
        say(expect_no_start(context, store, path, at).strip())
        flip(path, at)
    with Server(context, store=store) as server:
        expect_equal(server.request("GET", "/objects/key3").status, 200, "the repaired store")
        server.stop_clean()


@test
def a_changed_value_is_never_served(context):
    """Opening may find it, then nothing starts; else its key answers 500 and the others go on."""
    store = context.path("store")
    values = write_documents(context, 20, store)
    revision, value = values["key3"]
    path, start = place(store, "key3", revision)
    for offset in (start, start + 1500, start + len(value) - 1):
        flip(path, offset, 5)
        before = snapshot(store)
        verified = run(context, "store", "verify", store)
        expect_equal(verified.returncode, 3, f"pure store verify; {verified.stdout!r}")
        expect_named(verified.stderr.decode(), path, offset)
        expect("key3" in verified.stderr.decode(), f"the key is not named: {verified.stderr!r}")
        got = run(context, "store", "get", store, "key3")
        expect_equal((got.returncode, got.stdout), (3, b""), "pure store get")
        expect_equal(snapshot(store), before, "the store after the tools")
        with Server(context, store=store) as server, server.client() as client:
            answer = client.get("key3")
            expect_equal(
                (answer.status, answer.error, answer.body),
                (500, "storage", b""),
                "the damaged document",
            )
            for key, (other, expected) in values.items():
                if key != "key3":
                    answer = client.get(key)
                    expect_equal(
                        (answer.status, answer.revision, answer.body), (200, other, expected), key
                    )
            server.stop_clean()
        flip(path, offset, 5)
    with Server(context, store=store) as server:
        answer = server.request("GET", "/objects/key3")
        expect_equal((answer.revision, answer.body), (revision, value), "the repaired document")
        server.stop_clean()


@test
def damage_before_the_end_of_an_unsealed_segment_keeps_the_server_from_starting(context):
    """After a kill the last frame may be torn, but not one that others follow."""
    store = context.path("store")
    with Server(context, store=store) as server, server.client() as client:
        for i in range(10):
            expect_equal(client.put(f"key{i}", marked(f"key{i}", 1)).status, 200, "PUT")
        server.kill()
    path, offset = place(store, "key4", 1)
    for at in (offset // BLOCK * BLOCK, offset + 100):
        flip(path, at)
        say(expect_no_start(context, store, path, at).strip())
        flip(path, at)
    with Server(context, store=store) as server, server.client() as client:
        for i in range(10):
            expect_equal(
                client.get(f"key{i}").body, marked(f"key{i}", 1), f"key{i} of the repaired store"
            )
        server.stop_clean()


@test
def a_missing_or_emptied_segment_keeps_the_server_from_starting(context):
    store = context.path("store")
    # Of more than one segment. Nothing is replaced, so that none is compacted away.
    with Server(context, store=store) as server, server.client() as client:
        for i in range(600):
            expect_equal(client.put(f"key{i}", bytes(3000), 0).status, 200, f"PUT key{i}")
        server.stop_clean()
    paths = segments(store)
    expect(len(paths) >= 2, f"only {len(paths)} segments")
    aside = context.path("aside")
    for path in paths[:2]:
        os.rename(path, aside)
        before = snapshot(store)
        expect_refused(context, store=store, status=3, words=["segment"])
        expect_equal(snapshot(store), before, "the store without a segment")
        with open(path, "wb"):
            pass
        os.chmod(path, 0o600)
        before = snapshot(store)
        expect_refused(context, store=store, status=3, words=["segment"])
        expect_equal(snapshot(store), before, "the store with an empty segment")
        os.remove(path)
        os.rename(aside, path)
    with Server(context, store=store) as server:
        expect_equal(server.request("GET", "/objects/key3").revision, 1, "the repaired store")
        server.stop_clean()


@test
def a_changed_manifest_keeps_the_server_from_starting(context):
    store = context.path("store")
    write_documents(context, 20, store)
    manifest = os.path.join(store, "MANIFEST")
    for offset in range(0, os.path.getsize(manifest), 17):
        flip(manifest, offset, offset % 8)
        before = snapshot(store)
        ended = expect_manifest_refused(context, store)
        expect("MANIFEST" in ended or "version" in ended, f"the manifest is not named: {ended!r}")
        expect_equal(snapshot(store), before, "the store after the refusal")
        flip(manifest, offset, offset % 8)
    with Server(context, store=store) as server:
        expect_equal(server.request("GET", "/objects/key3").revision, 2, "the repaired store")
        server.stop_clean()


def expect_manifest_refused(context, store):
    """Damaged (3), or of another format version (1)."""
    server = Server(context, store=store).spawn()
    try:
        status = server.process.wait(30)
        expect(status in (1, 3), f"exit status {status}")
        return server.stderr_text()
    finally:
        server.kill()


if __name__ == "__main__":
    main(__doc__)
