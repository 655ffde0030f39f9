"""`pure store`, and whose a store is: one process at a time, and only what is a store."""

import base64
import json
import os
import re

from commands import expect_run, run
from harness import expect, expect_equal, main, say, test
from server import Server, expect_refused
from store_files import find, flip, snapshot, wait_until_quiet


@test
def the_tools_read_and_write_a_store_that_no_server_has_open(context):
    store = context.path("store")
    with Server(context) as server, server.client() as client:
        client.put("apple", b"a" * 1000)
        client.put("avocado", b"one")
        client.put("avocado", b"two", 1)
        client.put("banana", b"")
        server.stop_clean()
    before = snapshot(store)
    stat = json.loads(expect_run(context, "store", "stat", store, status=0, stderr=""))
    expect_equal(stat["keys"], 3, "keys")
    expect(stat["live_bytes"] >= 1003 and stat["dead_bytes"] >= 3, f"live and dead bytes: {stat}")
    expect(stat["segments"] >= 1 and stat["store_bytes"] > 0, f"segments and size: {stat}")
    expect_run(
        context,
        "store",
        "list",
        store,
        status=0,
        stderr="",
        stdout="apple\t1\t1000\navocado\t2\t3\nbanana\t1\t0\n",
    )
    expect_run(
        context, "store", "list", store, "a", status=0, stdout="apple\t1\t1000\navocado\t2\t3\n"
    )
    expect_run(context, "store", "get", store, "avocado", status=0, stdout="two", stderr="")
    expect_run(
        context, "store", "get", store, "none", status=1, stdout="", stderr=re.compile("none")
    )
    verified = json.loads(expect_run(context, "store", "verify", store, status=0, stderr=""))
    expect_equal((verified["keys"], verified["damages"]), (3, 0), "verify")
    expect_equal(snapshot(store), before, "the store after reading tools")
    file = context.write("file", "three")
    put = json.loads(
        expect_run(context, "store", "put", store, "avocado", file, status=0, stderr="")
    )
    expect_equal(put["revision"], 3, "the revision of store put")
    expect_run(context, "store", "put", store, "new", "-", stdin=b"piped", status=0)
    with Server(context) as server, server.client() as client:
        found = client.get("avocado")
        expect_equal((found.revision, found.body), (3, b"three"), "what store put wrote")
        expect_equal(client.get("new").body, b"piped", "what store put wrote from standard input")
        server.stop_clean()
    missing = context.path("missing")
    for verb in (
        ["stat"],
        ["verify"],
        ["list"],
        ["get", "k"],
        ["put", "k", file],
        ["dump"],
        ["module"],
        ["backup", context.path("copy")],
        ["restore", context.path("copy")],
        ["compact"],
    ):
        expect_run(
            context,
            "store",
            verb[0],
            missing,
            *verb[1:],
            status=1,
            stdout="",
            stderr=re.compile("missing"),
        )
    expect(not os.path.exists(missing), "a tool made a store where there was none")


TEXT_MODULE = """module letters 3

document letter(key: slug(64)): text(..1KiB)
  message show { reply value else not_found }
  message edit(body: text(..1KiB)) { value = body; reply none }
"""


@test
def the_module_that_wrote_a_store_is_kept_in_it_and_is_no_document(context):
    store = context.path("store")
    expect_run(context, "store", "put", store, "a", context.module(), status=1)
    with Server(context, store=store) as server, server.client() as client:
        client.put("only", b"one")
        metrics = client.request("GET", "/-/metrics").body.decode()
        expect("\npure_store_keys 1\n" in metrics, f"documents counted: {metrics!r}")
        server.stop_clean()
    with open(context.module(), encoding="utf-8") as file:
        expect_run(context, "store", "module", store, status=0, stderr="", stdout=file.read())
    before = snapshot(store)
    expect_run(context, "store", "list", store, status=0, stdout="only\t1\t3\n")
    for verb in ("stat", "verify"):
        line = json.loads(expect_run(context, "store", verb, store, status=0, stderr=""))
        expect_equal(line["keys"], 1, f"keys of {verb}")
    expect_equal(snapshot(store), before, "the store after reading tools")
    with Server(context, store=store) as server:
        expect_equal(server.stats()["commit_groups"], 0, "saves of a start with the same module")
        server.stop_clean()
    with open(context.module(), encoding="utf-8") as file:
        longer = file.read() + "// One line more.\n"
    module = context.write("longer.pure", longer)
    with Server(context, store=store, module=module) as server:
        expect_equal(server.stats()["commit_groups"], 1, "saves of a start with another text")
        server.stop_clean()
    letters = context.write("letters.pure", TEXT_MODULE)
    expect_refused(context, store=store, module=letters, status=2, words=["document object"])
    expect_run(context, "store", "module", store, status=0, stdout=longer)
    expect_run(context, "store", "list", store, status=0, stdout="only\t1\t3\n")
    os.mkdir(context.path("empty"), 0o700)
    expect_run(context, "store", "module", context.path("empty"), status=1, stdout="")


@test
def documents_are_dumped_in_the_types_of_their_module(context):
    store = context.path("store")
    octets = bytes(range(256)) * 700
    with Server(context, store=store) as server, server.client() as client:
        client.put("octets", octets)
        client.put("empty", b"")
        server.stop_clean()
    lines = expect_run(context, "store", "dump", store, status=0, stderr="").splitlines()
    expect_equal(lines[0], '{"key":"empty","revision":1,"value":{"base64":""}}')
    dumped = json.loads(lines[1])
    expect_equal((dumped["key"], dumped["revision"]), ("octets", 1))
    expect_equal(base64.b64decode(dumped["value"]["base64"], validate=True), octets, "the octets")
    expect_equal(len(lines), 2, "lines")
    store = context.path("letters")
    text = 'a "quoted" line\n\u00fcber \U0001f600'
    with Server(
        context, store=store, module=context.write("letters.pure", TEXT_MODULE)
    ) as server, server.client() as client:
        expect_equal(client.put("a", text.encode()).status, 200, "a letter")
        expect_equal(client.put("b", b"second").status, 200, "another letter")
        server.stop_clean()
    file = context.write("octets", "")
    with open(file, "wb") as out:
        out.write(octets[:300])
    expect_run(context, "store", "put", store, "octets", file, status=0)
    lines = expect_run(context, "store", "dump", store, status=0, stderr="").splitlines()
    expect_equal(json.loads(lines[0]), {"key": "a", "revision": 1, "value": text})
    expect_equal(json.loads(lines[1]), {"key": "b", "revision": 1, "value": "second"})
    expect("base64" in json.loads(lines[2])["value"], "octets that are no text stay octets")
    path, offset = find(store, text.encode())[0]
    flip(path, offset)
    ended = run(context, "store", "dump", store)
    expect_equal(ended.returncode, 3, "exit status for a damaged document")
    expect(b'"a"' in ended.stderr or b" a" in ended.stderr, f"the key is not named: {ended.stderr!r}")
    expect_equal(len(ended.stdout.splitlines()), 2, "the other documents are dumped")


@test
def a_second_server_on_a_store_is_refused_and_changes_nothing(context):
    with Server(context) as server, server.client() as client:
        client.put("a", b"kept")
        before = wait_until_quiet(server.store)
        stderr = expect_refused(context, status=1, words=["store"])
        say(stderr.strip())
        expect_equal(snapshot(server.store), before, "the store after the second server")
        expect_run(
            context, "store", "put", server.store, "a", context.module(), status=1, stdout=""
        )
        expect_equal(snapshot(server.store), before, "the store after store put")
        expect_equal(client.get("a").body, b"kept")
        client.put("a", b"goes on", 1)
        server.stop_clean()


@test
def what_can_not_be_a_store_is_refused(context):
    file = context.write("file", "not a directory")
    expect_refused(context, store=file, status=1, words=["file"])
    os.mkdir(context.path("full"))
    context.write("full/letter", "of somebody else")
    before = snapshot(context.path("full"))
    expect_refused(context, store=context.path("full"), status=1, words=["full"])
    expect_equal(snapshot(context.path("full")), before, "a directory of something else")
    expect_refused(context, store=context.path("no/such/parent"), status=1, words=["parent"])


if __name__ == "__main__":
    main(__doc__)
