"""Documents over the wire, as a client sees them, and over restarts."""

import os
import random
import socket
import tempfile

from client import Client
from harness import Skip, expect, expect_equal, main, test
from server import Server

LIMIT = 16 << 20


def expect_answer(answer, status, error, etag=None, body=None):
    expect_equal((answer.status, answer.error), (status, error), "status and X-Pure-Error")
    if etag is not None:
        expect_equal(answer.etag, etag, "ETag")
    if body is not None:
        expect_equal(answer.body, body, "body")
    return answer


@test
def a_document_is_created_read_replaced_and_guarded_by_its_revision(context):
    with Server(context) as server, server.client() as client:
        expect_answer(client.get("note"), 404, "not_found", "", b"")
        expect_answer(client.put("note", b"one", 7), 412, "conflict", "", b"")
        expect_answer(client.put("note", b"one"), 200, "none", '"1"', b"")
        expect_answer(client.get("note"), 200, "none", '"1"', b"one")
        expect_answer(client.put("note", b"again"), 412, "conflict", '"1"', b"")
        expect_answer(client.put("note", b"two", 1), 200, "none", '"2"', b"")
        expect_answer(client.put("note", b"late", 1), 412, "conflict", '"2"', b"")
        expect_answer(client.get("note"), 200, "none", '"2"', b"two")
        expect_answer(client.put("note", b"", 2), 200, "none", '"3"', b"")
        expect_answer(client.get("note"), 200, "none", '"3"', b"")
        server.stop_clean()


@test
def a_read_on_condition_answers_304_until_the_document_changes(context):
    with Server(context) as server, server.client() as client:
        client.put("note", b"one")
        for tags in ('"1"', 'W/"1"', "*"):
            expect_answer(client.get("note", [("If-None-Match", tags)]), 304, "none", '"1"', b"")
        expect_answer(client.get("note", [("If-None-Match", '"2"')]), 200, "none", '"1"', b"one")
        client.put("note", b"two", 1)
        expect_answer(client.get("note", [("If-None-Match", '"1"')]), 200, "none", '"2"', b"two")
        server.stop_clean()


@test
def every_answer_has_the_fields_that_the_contract_names(context):
    with Server(context) as server, server.client() as client:
        client.put("note", b"one")
        for method, target, body in (
            ("GET", "/objects/note", None),
            ("PUT", "/objects/note", b"x"),
            ("GET", "/objects/none", None),
            ("GET", "/nowhere", None),
        ):
            answer = client.request(method, target, body, [("If-Match", '"4"')] if body else [])
            for field in ("content-length", "date", "x-pure-error"):
                expect(field in answer.fields, f"{method} {target}: no {field}")
            expect_equal(
                answer.fields.get("cache-control"), "no-store", f"{method} {target}: Cache-Control"
            )
            expect(answer.fields["date"].endswith(" GMT"), f"Date is {answer.fields['date']}")
        server.stop_clean()


@test
def head_is_get_without_a_body_and_options_name_the_methods(context):
    with Server(context) as server, server.client() as client:
        client.put("note", b"hello")
        head = client.request("HEAD", "/objects/note")
        expect_answer(head, 200, "none", '"1"', b"")
        expect_equal(head.fields["content-length"], "5", "Content-Length of HEAD")
        expect_answer(client.request("HEAD", "/objects/none"), 404, "not_found")
        options = client.request("OPTIONS", "/objects/note")
        expect_equal(options.status, 204, "OPTIONS")
        for method in ("GET", "HEAD", "PUT"):
            expect(method in options.fields["allow"], f"Allow is {options.fields['allow']}")
        wrong = client.request("DELETE", "/objects/note")
        expect_answer(wrong, 405, "request")
        expect("PUT" in wrong.fields["allow"], f"Allow of a 405 is {wrong.fields['allow']}")
        expect_answer(client.request("BREW", "/objects/note"), 501, "request")
        expect_answer(client.get("note"), 200, "none", '"1"', b"hello")
        server.stop_clean()


@test
def a_further_message_appends_to_a_note(context):
    with Server(context, module="notes") as server, server.client() as client:
        form = [("Content-Type", "application/x-www-form-urlencoded")]
        expect_answer(client.put("monday", b"# Monday\n"), 200, "none", '"1"')
        answer = client.request("POST", "/objects/monday/append", b"line=-+water+the+plants", form)
        expect_answer(answer, 200, "none", '"2"')
        expect_answer(client.get("monday"), 200, "none", '"2"', b"# Monday\n- water the plants\n")
        expect_equal(
            client.get("monday").fields["content-type"],
            "text/markdown; charset=utf-8",
            "Content-Type",
        )
        answer = client.request("POST", "/objects/tuesday/append", b"line=%C3%A9+%26+%22", form)
        expect_answer(answer, 200, "none", '"1"')
        expect_answer(client.get("tuesday"), 200, "none", '"1"', 'é & "\n'.encode())
        for body in (
            b"lin=x",
            b"",
            b"line=",
            b"line=a&line=b",
            b"line=%FF",
            b"line=" + b"x" * 1025,
        ):
            wrong = client.request("POST", "/objects/monday/append", body, form)
            expect_equal((wrong.status, wrong.error), (422, "type"), f"append with {body[:20]!r}")
            names = b'"line"' in wrong.body or not body.startswith(b"line=")
            expect(names, f"the answer to {body[:20]!r} does not name the field: {wrong.body!r}")
        expect_equal(
            client.request("POST", "/objects/monday/none", b"", form).status,
            404,
            "an unknown message",
        )
        expect_answer(client.get("monday"), 200, "none", '"2"')
        server.stop_clean()


@test
def a_fault_of_the_module_leaves_no_trace(context):
    with Server(context, module="notes") as server, server.client() as client:
        full = b"x" * (1 << 20)
        expect_answer(client.put("full", full), 200, "none", '"1"')
        form = [("Content-Type", "application/x-www-form-urlencoded")]
        answer = client.request("POST", "/objects/full/append", b"line=more", form)
        expect_equal((answer.status, answer.error), (413, "fault"), "a note over its limit")
        expect_equal(answer.fields.get("x-pure-fault"), "large", "X-Pure-Fault")
        expect(b'"fault":"large"' in answer.body, f"the body is {answer.body!r}")
        expect_answer(client.get("full"), 200, "none", '"1"', full)
        server.stop_clean()


@test
def a_removed_note_is_gone_and_its_revisions_go_on(context):
    with Server(context, module="notes") as server, server.client() as client:
        client.put("note", b"one")
        expect_equal(client.request("POST", "/objects/note/remove", b"").status, 200, "remove")
        expect_answer(client.get("note"), 404, "not_found")
        revision = client.put("note", b"new").revision
        expect(revision >= 3, f"a note that was removed at revision 2 came back with {revision}")
        server.stop_clean()
    with Server(context, module="notes") as server:
        expect_answer(server.client().get("note"), 200, "none", f'"{revision}"', b"new")
        server.stop_clean()


@test
def a_document_of_the_largest_size_is_stored_and_one_byte_more_is_refused_unread(context):
    with Server(context) as server, server.client() as client:
        value = random.Random(1).randbytes(LIMIT)
        expect_answer(client.put("big", value), 200, "none", '"1"')
        expect_answer(client.get("big"), 200, "none", '"1"', value)
        # The answer comes before the body is sent.
        client.send(
            client.text(
                "PUT", "/objects/big", None, [("If-Match", '"1"'), ("Content-Length", LIMIT + 1)]
            )
        )
        expect_answer(client.read(), 413, "limit")
        expect(client.ended(), "the connection goes on after a 413")
        expect_answer(server.client().get("big"), 200, "none", '"1"', value)
        statistics = server.stop_clean()
        expect(statistics["borrowed_output_bytes"] >= 2 * LIMIT, "the answers' bytes were not lent")


@test
def a_client_that_expects_100_is_told_to_go_on_after_admission(context):
    with Server(context, "--budget", "1M") as server, server.client() as client:
        expect_100 = ("Expect", "100-continue")
        client.send(
            client.text(
                "PUT",
                "/objects/a",
                None,
                [("If-None-Match", "*"), ("Content-Length", 5), expect_100],
            )
        )
        expect_equal(client.read().status, 100, "the first answer")
        client.send(b"hello")
        expect_answer(client.read(), 200, "none", '"1"')
        expect_answer(client.get("a"), 200, "none", '"1"', b"hello")
        client.send(
            client.text(
                "PUT",
                "/objects/b",
                None,
                [("If-None-Match", "*"), ("Content-Length", 2 << 20), expect_100],
            )
        )
        expect_answer(client.read(), 503, "payload_budget")
        expect(client.ended(), "the connection goes on though its body was never read")
        expect_equal(server.stop_clean()["budget_rejections"], 1, "budget_rejections")


@test
def pipelined_requests_are_answered_in_their_order(context):
    with Server(context) as server, server.client() as client:
        requests = [
            client.text("PUT", "/objects/a", b"1", [("If-None-Match", "*")]),
            client.text("GET", "/objects/a"),
            client.text("PUT", "/objects/a", b"2", [("If-Match", '"1"')]),
            client.text("GET", "/objects/b"),
            client.text("PUT", "/objects/b", b"b", [("If-None-Match", "*")]),
            client.text("GET", "/objects/a"),
            client.text("GET", "/objects/b"),
        ]
        client.send(b"".join(requests))
        expect_answer(client.read(), 200, "none", '"1"', b"")
        expect_answer(client.read(), 200, "none", '"1"', b"1")
        expect_answer(client.read(), 200, "none", '"2"', b"")
        expect_answer(client.read(), 404, "not_found")
        expect_answer(client.read(), 200, "none", '"1"', b"")
        expect_answer(client.read(), 200, "none", '"2"', b"2")
        expect_answer(client.read(), 200, "none", '"1"', b"b")
        server.stop_clean()


@test
def a_restart_keeps_values_and_revisions(context):
    numbers = random.Random(2)
    values = {}
    for turn in range(4):
        with Server(context, "--threads", 1 + turn % 2) as server, server.client() as client:
            for key, (revision, value) in values.items():
                expect_answer(client.get(key), 200, "none", f'"{revision}"', value)
            for _ in range(40):
                key = f"key-{numbers.randrange(25)}"
                revision, _ = values.get(key, (0, b""))
                value = numbers.randbytes(numbers.choice((0, 1, 100, 5000, 200_000)))
                answer = client.put(key, value, revision)
                expect_answer(answer, 200, "none", f'"{revision + 1}"')
                values[key] = (revision + 1, value)
            if turn == 2:
                server.kill()
            else:
                server.stop_clean()
    expect_equal(
        sorted(name for name in os.listdir(context.path("store")) if name.endswith(".tmp")),
        ["MANIFEST.tmp"],
        "what is written aside: the room for the next manifest",
    )


@test
def ipv6_loopback_is_served(context):
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
            probe.bind(("::1", 0))
    except OSError as error:
        raise Skip(f"this machine has no ::1: {error}") from None
    with Server(context, "--listen", "[::1]") as server:
        with Client(("::1", server.port)) as client:
            expect_answer(client.put("six", b"6"), 200, "none", '"1"')
            expect_answer(client.get("six"), 200, "none", '"1"', b"6")
        server.stop_clean()


@test
def a_unix_socket_is_served_by_any_number_of_threads_and_removed_at_the_end(context):
    # The path of a test's own directory may be longer than the 107 bytes that the kernel takes.
    with tempfile.TemporaryDirectory(dir="/tmp") as directory:
        path = os.path.join(directory, "socket")
        for revision, threads in enumerate((1, 2)):
            with Server(context, "--listen", f"unix:{path}", "--threads", threads) as server:
                for turn in range(8):
                    with Client(path) as client:
                        if turn == 0:
                            answer = client.put("note", b"local %d" % threads, revision)
                            expect_answer(answer, 200, "none", f'"{revision + 1}"')
                        answer = client.get("note")
                        expect_answer(answer, 200, "none", None, b"local %d" % threads)
                expect_equal(os.stat(path).st_mode & 0o007, 0, "what others may do with the socket")
                server.stop_clean()
            expect(not os.path.exists(path), "the socket's name stays after a stop")


if __name__ == "__main__":
    main(__doc__)
