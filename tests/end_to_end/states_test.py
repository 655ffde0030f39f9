"""Modules with states over the wire: inputs, views, restarts, and one owner behind several threads."""

import json
import re
import threading

from commands import expect_run
from harness import expect, expect_equal, main, test
from server import Server

FORM = [("Content-Type", "application/x-www-form-urlencoded")]


def post(client, target, body):
    return client.request("POST", target, body, FORM)


@test
def an_entry_is_there_after_a_kill(context):
    store = context.path("store")
    with Server(context, module="guestbook", store=store) as server:
        with server.client() as client:
            answer = post(client, "/sign", b"who=Ann&said=%3Cb%3Ehi%3C/b%3E")
            expect_equal((answer.status, answer.fields["location"]), (303, "/"), "signing")
        server.kill()
    with Server(context, module="guestbook", store=store) as server, server.client() as client:
        page = client.request("GET", "/")
        expect(b"<td>Ann</td><td>&lt;b&gt;hi&lt;/b&gt;</td>" in page.body, "the page shows it")
        expect_equal(post(client, "/sign", b"who=Bob&said=me+too").status, 303, "signing again")
        entries = client.request("GET", "/views/entries")
        expect_equal(re.findall(rb'"id":(\d+)', entries.body), [b"2", b"1"], "the ids go on")
        server.stop_clean()


@test
def a_view_is_not_sent_again_until_a_state_changes_that_it_reads(context):
    with Server(context, module="todo") as server, server.client() as client:
        first = client.request("GET", "/")
        tag = [("If-None-Match", first.fields["etag"])]
        expect_equal(first.fields["cache-control"], "no-cache", "Cache-Control")
        expect_equal(client.request("GET", "/", None, tag).status, 304, "nothing new")
        expect_equal(post(client, "/add", b"what=bread").status, 303, "adding")
        second = client.request("GET", "/", None, tag)
        expect_equal(second.status, 200, "something new")
        expect(second.fields["etag"] != first.fields["etag"], "another tag")
        expect_equal(client.request("HEAD", "/").body, b"", "HEAD")
        expect_equal(post(client, "/", b"").status, 405, "a view is not posted to")
        expect_equal(client.request("GET", "/add").status, 405, "an input is not read")
        expect_equal(client.request("OPTIONS", "/add").fields["allow"], "POST, OPTIONS", "Allow")
        expect_equal(client.request("GET", "/?x=1").status, 422, "no such argument")
        server.stop_clean()


@test
def arguments_are_checked_and_the_field_is_named(context):
    with Server(context, module="meter") as server, server.client() as client:
        for body, field in (
            (b"id=roof", b"milli"),
            (b"id=ro+of&milli=1", b"id"),
            (b"id=roof&milli=100001", b"milli"),
            (b"id=roof&milli=1.5", b"milli"),
            (b"id=roof&milli=1&milli=2", b"milli"),
        ):
            answer = post(client, "/inputs/report", body)
            expect_equal((answer.status, answer.error), (422, "type"), f"{body}")
            expect_equal(answer.body, b'{"error":"type","field":"' + field + b'"}', f"{body}")
        expect_equal(post(client, "/inputs/report", b"id=roof&milli=7").status, 200, "a report")
        fields = [("Content-Type", "application/json")]
        for body, status in ((b'{"id":"roof","milli":8}', 200), (b'{"id":"roof"}', 422)):
            answer = client.request("POST", "/inputs/report", body, fields)
            expect_equal(answer.status, status, f"{body}")
        expect_equal(client.request("GET", "/views/history?id=roof&most=0").status, 422, "most")
        expect_equal(client.request("GET", "/views/history?id=attic").status, 404, "no sensor")
        history = client.request("GET", "/views/history?id=roof&most=10")
        expect(b'"milli":7' in history.body, f"{history.body}")
        server.stop_clean()


@test
def a_refusal_is_a_page_for_a_browser_and_json_for_a_program(context):
    browser = [*FORM, ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")]
    with Server(context, module="meter") as server, server.client() as client:
        answer = client.request("POST", "/inputs/report", b"id=roof", browser)
        expect_equal((answer.status, answer.error), (422, "type"), "a field that is missing")
        expect_equal(answer.fields["content-type"], "text/html; charset=utf-8", "its type")
        expect(b"<h1>The field milli is not right</h1>" in answer.body, f"{answer.body!r}")
        answer = client.request("GET", "/views/history?id=none", None, browser)
        expect_equal(answer.fields["content-type"], "text/html; charset=utf-8", "a fault's type")
        answer = client.request("GET", "/views/history?id=none")
        expect_equal((answer.status, answer.fields["content-type"]), (404, "application/json"))
        server.stop_clean()


def hit_and_look(server, hits, hit_values, problems):
    """Each hit answers a number of its own, and a look after it sees at least that."""
    try:
        with server.client() as client:
            for _ in range(hits):
                value = int(client.request("POST", "/inputs/hit", b"").body)
                hit_values.append(value)
                seen = int(client.request("GET", "/views/total").body)
                if seen < value:
                    problems.append(f"hit {value}, then saw {seen}")
    except Exception as error:  # it belongs to the main thread
        problems.append(repr(error))


def count_together(context, threads):
    store = context.path("store")
    with Server(context, "--threads", threads, module="counter", store=store) as server:
        expect_equal(server.start["owner"], threads > 1, "owner")
        hit_values, problems = [], []
        clients = [
            threading.Thread(target=hit_and_look, args=(server, 100, hit_values, problems))
            for _ in range(16)
        ]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        expect_equal(problems, [], "what the clients saw")
        expect_equal(sorted(hit_values), list(range(1, 1601)), "each number once")
        statistics = server.stop_clean()
        in_bursts = 1600 if threads > 1 else 3200  # beside an owner, views are in none
        expect_equal(statistics["burst_events"], in_bursts, "requests in bursts")
        expect_equal(statistics["owner"], threads > 1, "owner in the statistics")
        print(f"    {threads} threads: {statistics['commit_groups']} saves for 1600 events")
    with Server(context, module="counter", store=store) as server, server.client() as client:
        expect_equal(client.request("GET", "/views/total").body, b"1600", "after a restart")
        server.stop_clean()


@test
def no_event_is_lost_or_seen_late_on_one_thread(context):
    count_together(context, 1)


@test
def no_event_is_lost_or_seen_late_behind_an_owner(context):
    count_together(context, 3)


@test
def requests_of_one_connection_see_each_other_in_their_order(context):
    """Views do not wait for the owner, but for the requests before them they do."""
    with Server(context, "--threads", 2, module="counter") as server, server.client() as client:
        total = client.text("GET", "/views/total")
        hit = client.text("POST", "/inputs/hit", b"")
        for begin in range(0, 300, 3):
            client.send(total + hit + total + total + hit + hit + total)
            values = [int(client.read().body) for _ in range(7)]
            expected = [begin, begin + 1, begin + 1, begin + 1, begin + 2, begin + 3, begin + 3]
            expect_equal(values, expected, "the answers")
        server.stop_clean()


@test
def a_dump_holds_the_states_in_their_types(context):
    store = context.path("store")
    with Server(context, module="guestbook", store=store) as server, server.client() as client:
        post(client, "/sign", b"who=Ann&said=hi")
        server.stop_clean()
    dumped = expect_run(context, "store", "dump", store, status=0)
    lines = [json.loads(line) for line in dumped.splitlines()]
    expect_equal([line["state"] for line in lines], ["book", "next"], "the states")
    entry = lines[0]["value"][0]
    expect_equal((entry["id"], entry["who"], entry["hidden"]), (1, "Ann", False), "the entry")
    expect_equal(lines[1]["value"], 2, "next")


@test
def a_module_that_would_lose_a_state_is_refused_and_nothing_is_changed(context):
    store = context.path("store")
    with Server(context, module="counter", store=store) as server, server.client() as client:
        post(client, "/inputs/hit", b"")
        server.stop_clean()
    other = context.path("other.pure")
    with open(other, "w", encoding="utf-8") as file:
        file.write("module counter 2\nstate hits: text(..9) = \"\"\nview total { reply hits }\n")
    refused = Server(context, module=other, store=store).spawn().wait(10)
    expect_equal(refused.status, 2, f"exit status; stderr {refused.stderr!r}")
    expect("state hits: it was int and is text(..9)" in refused.stderr, refused.stderr)
    with Server(context, module="counter", store=store) as server, server.client() as client:
        expect_equal(client.request("GET", "/views/total").body, b"1", "it is as it was")
        server.stop_clean()


if __name__ == "__main__":
    main(__doc__)
