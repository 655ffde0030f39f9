"""A disk that is full: writes are refused as not applied, reads go on, and writes resume.

It mounts a small tmpfs, in a mount namespace of its own; where that is not allowed, the tests are
left out.
"""

import os
import subprocess
import time

from commands import run
from harness import Failure, expect, expect_equal, main, say, test, wait_until
from mounts import enter_mount_namespace, require_mounts
from server import Server

DISK_BYTES = 48 << 20
VALUE = 100_000


def mount(context):
    """A small disk, and a file on it that can be removed to make space."""
    require_mounts()
    disk = context.path("disk")
    os.mkdir(disk)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "none", disk], check=True)
    ballast = os.path.join(disk, "ballast")
    with open(ballast, "wb") as file:
        file.write(bytes(DISK_BYTES - (12 << 20)))
    return disk, ballast


def fill(client, values, limit=2000):
    """Writes until the disk is full; gives the answer that says so."""
    for _ in range(limit):
        key = f"key{len(values)}"
        value = os.urandom(VALUE)
        answer = client.put(key, value)
        if answer.status != 200:
            return answer
        values[key] = value
    raise Failure("the disk never was full")


def expect_all_there(client, values):
    for key, value in values.items():
        answer = client.get(key)
        expect_equal((answer.status, answer.revision, answer.body), (200, 1, value), key)


@test
def a_full_disk_refuses_writes_and_serves_reads_until_there_is_space(context):
    disk, ballast = mount(context)
    try:
        store = os.path.join(disk, "store")
        values = {}
        with Server(context, store=store) as server, server.client() as client:
            refused = fill(client, values)
            expect_equal(
                (refused.status, refused.error),
                (507, "storage_full"),
                "the first write that does not fit",
            )
            say(f"{len(values)} documents of {VALUE} bytes fit; then 507")
            for i in range(20):
                answer = client.put(f"more{i}", os.urandom(VALUE))
                expect_equal(
                    (answer.status, answer.error), (507, "storage_full"), "a further write"
                )
            expect_all_there(client, values)
            expect_equal(client.get("more0").status, 404, "what was refused was not applied")
            expect_equal(client.put("key0", b"x", 9).status, 412, "a condition is still looked at")
            share = server.cpu_share(1)
            expect(
                share < 0.1,
                f"a full disk costs {share * 100:.0f} % of a core while nothing is asked",
            )
            os.remove(ballast)
            begun = time.monotonic()
            wait_until(lambda: client.put("resumed", b"x").status == 200, 10, "writes resume")
            say(f"writes resumed {(time.monotonic() - begun) * 1000:.0f} ms after there was space")
            for i in range(20):
                key = f"after{i}"
                values[key] = os.urandom(VALUE)
                expect_equal(
                    client.put(key, values[key]).status, 200, "a write after there was space"
                )
            expect_all_there(client, values)
            server.stop_clean()
        with Server(context, store=store) as server, server.client() as client:
            expect_all_there(client, values)
            expect_equal(client.get("more19").status, 404, "what was refused stays refused")
            server.stop_clean()
    finally:
        subprocess.run(["umount", "--lazy", disk], check=False)


@test
def a_store_on_a_full_disk_survives_a_kill_and_opens_or_says_why_not(context):
    disk, ballast = mount(context)
    try:
        store = os.path.join(disk, "store")
        values = {}
        with Server(context, store=store) as server, server.client() as client:
            expect_equal(fill(client, values).status, 507, "the first write that does not fit")
            server.kill()
        # Opening copies what was not sealed. There may be no space for that; then it says so.
        server = Server(context, store=store).spawn()
        try:
            time.sleep(1)
            status = server.process.poll()
            if status is not None:
                expect_equal(status, 1, f"exit status; {server.stderr_text()!r}")
                say(server.stderr_text().strip())
                expect(
                    "space" in server.stderr_text(),
                    f"the disk is not named: {server.stderr_text()!r}",
                )
        finally:
            server.kill()
        os.remove(ballast)
        with Server(context, store=store) as server, server.client() as client:
            expect_all_there(client, values)
            server.stop_clean()
        verified = run(context, "store", "verify", store)
        expect_equal(verified.returncode, 0, f"pure store verify; {verified.stderr!r}")
    finally:
        subprocess.run(["umount", "--lazy", disk], check=False)


@test
def a_module_that_can_not_be_kept_for_want_of_space_is_served_all_the_same(context):
    disk, ballast = mount(context)
    try:
        store = os.path.join(disk, "store")
        values = {}
        with Server(context, store=store) as server, server.client() as client:
            expect_equal(fill(client, values).status, 507, "the first write that does not fit")
            server.stop_clean()
        with open(context.module(), encoding="utf-8") as file:
            kept = short = file.read()

        def serve(text):
            """What the server says of the module with this text."""
            path = context.write("longer.pure", text)
            with Server(context, store=store, module=path) as server, server.client() as client:
                expect_all_there(client, values)
                return server.stop().stderr

        def expect_kept(text):
            found = run(context, "store", "module", store)
            expect_equal(found.stdout.decode() == text, True, "the module that the store keeps")

        # There may be room for some in the last segment.
        for length in range(900, 910):
            longer = f"{short}//{'x' * (length << 10)}\n"
            if "served without it" in serve(longer):
                break
            kept = longer
        else:
            raise AssertionError("the disk does not get full")
        expect_kept(kept)
        os.remove(ballast)
        expect("served without it" not in serve(longer), "there is room again")
        expect_kept(longer)
    finally:
        subprocess.run(["umount", "--lazy", disk], check=False)


if __name__ == "__main__":
    enter_mount_namespace()
    main(__doc__)
