"""`pure serve --watch`: a changed module is served when it is sound, and the old one when it is not."""

import os
import threading
import time

from client import Closed
from harness import expect, expect_equal, main, test, wait_until
from server import Server

LOOK_SECONDS = 20

COUNTER = """module counter {version}
state hits: int = 0
input hit {{ hits += {step}; reply hits }}
view total as json {{ reply hits }}
{more}
"""


def write(path, text):
    """As editors do: a new file in the place of the old one."""
    with open(path + "~", "w", encoding="utf-8") as file:
        file.write(text)
    os.rename(path + "~", path)


def counter(version, step, more=""):
    return COUNTER.format(version=version, step=step, more=more)


def request(server, method, target, body=None):
    """Over a connection of its own: those of the module before are closed."""
    with server.client() as client:
        return client.request(method, target, body)


def start(context, text, *options):
    path = context.path("module.pure")
    write(path, text)
    return path, Server(context, "--watch", *options, module=path)


def expect_to_stay(server, path, text, what):
    """The module is refused with these words, and the one before goes on."""
    before = server.stderr_text()
    write(path, text)
    told = lambda: server.stderr_text()[len(before) :]
    wait_until(lambda: "stays as it was" in told(), LOOK_SECONDS, "it says that the module stays")
    expect(what in told(), f"it says {what!r}: {told()!r}")


@test
def a_sound_change_is_served_on_what_was_stored(context):
    path, started = start(context, counter(1, 1))
    with started as server:
        expect_equal(request(server, "POST", "/inputs/hit", b"").body, b"1", "the first module")
        write(path, counter(2, 10, 'view twice as json { reply hits * 2 }'))
        wait_until(lambda: "counter 2 is served now" in server.stderr_text(), LOOK_SECONDS, "the swap")
        expect_equal(request(server, "POST", "/inputs/hit", b"").body, b"11", "the second module")
        expect_equal(request(server, "GET", "/views/twice").body, b"22", "its new view")
        write(path, counter(3, 100))
        wait_until(lambda: "counter 3 is served now" in server.stderr_text(), LOOK_SECONDS, "the swap")
        expect_equal(request(server, "POST", "/inputs/hit", b"").body, b"111", "the third module")
        expect_equal(request(server, "GET", "/views/twice").status, 404, "the view is gone")
        server.stop_clean()


@test
def what_is_not_sound_is_refused_and_the_old_module_stays(context):
    path, started = start(context, counter(1, 1))
    with started as server:
        expect_equal(request(server, "POST", "/inputs/hit", b"").body, b"1", "a hit")
        expect_to_stay(server, path, "module counter 2\nstate hits int\n", ":2:12: ")
        failing = counter(2, 2, 'test "counts" {\n  hit()\n  expect hits == 1\n}')
        expect_to_stay(server, path, failing, 'test "counts"')
        expect_to_stay(server, path, "module counter 2\nview v { reply 1 }\n", "state hits: it is gone")
        expect_to_stay(server, path, counter(2, 1, "state bad: int = 1 / (2 - 2)"), "bad")
        expect_equal(request(server, "POST", "/inputs/hit", b"").body, b"2", "it goes on")
        os.unlink(path)
        time.sleep(0.5)
        expect_equal(request(server, "POST", "/inputs/hit", b"").body, b"3", "without its file")
        write(path, counter(2, 10))
        wait_until(lambda: "counter 2 is served now" in server.stderr_text(), LOOK_SECONDS, "the swap")
        expect_equal(request(server, "POST", "/inputs/hit", b"").body, b"13", "the new module")
        server.stop_clean()


def hit_on(server, answered, problems, ended):
    """Hits and hits again; a connection may be closed between two requests, never within one."""
    try:
        while not ended.is_set():
            with server.client() as client:
                try:
                    while not ended.is_set():
                        answer = client.request("POST", "/inputs/hit", b"")
                        expect_equal(answer.status, 200, "a hit")
                        answered.append(int(answer.body))
                        if answer.fields.get("connection") == "close":
                            break
                except (Closed, ConnectionError):
                    pass
    except Exception as error:  # it belongs to the main thread
        problems.append(repr(error))


def swap_under_load(context, threads):
    path, started = start(context, counter(1, 1), "--threads", threads)
    with started as server:
        answered, problems, ended = [], [], threading.Event()
        clients = [
            threading.Thread(target=hit_on, args=(server, answered, problems, ended))
            for _ in range(8)
        ]
        for client in clients:
            client.start()
        for version in range(2, 5):
            write(path, counter(version, 1))
            swapped = f"counter {version} is served now"
            wait_until(lambda said=swapped: said in server.stderr_text(), LOOK_SECONDS, swapped)
        ended.set()
        for client in clients:
            client.join()
        expect_equal(problems, [], "what the clients saw")
        expect_equal(len(set(answered)), len(answered), "each number was answered once")
        total = int(request(server, "GET", "/views/total").body)
        expect(max(answered) <= total, "what was answered is there")
        server.stop_clean()


@test
def no_answered_event_is_lost_by_a_swap_on_one_thread(context):
    swap_under_load(context, 1)


@test
def no_answered_event_is_lost_by_a_swap_behind_an_owner(context):
    swap_under_load(context, 3)


@test
def a_stop_asked_for_during_a_swap_ends_it(context):
    path, started = start(context, counter(1, 1))
    with started as server:
        with server.client() as idle:
            idle.request("GET", "/views/total")
            write(path, counter(2, 1))
            time.sleep(0.55)  # the swap waits for the idle client by now, or is done
            server.stop_clean()


if __name__ == "__main__":
    main(__doc__)
