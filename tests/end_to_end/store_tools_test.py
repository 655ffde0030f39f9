"""`pure store`, and whose a store is: one process at a time, and only what is a store."""

import json
import os
import re

from commands import expect_run
from harness import expect, expect_equal, main, say, test
from server import Server, expect_refused
from store_files import snapshot


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
    for verb in (["stat"], ["verify"], ["list"], ["get", "k"], ["put", "k", file]):
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


@test
def a_second_server_on_a_store_is_refused_and_changes_nothing(context):
    with Server(context) as server, server.client() as client:
        client.put("a", b"kept")
        before = snapshot(server.store)
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
