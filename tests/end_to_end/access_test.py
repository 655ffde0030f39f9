"""Who may: the rules against other sites' pages on loopback, and bearer tokens."""

import hashlib
import os
import signal

from harness import expect, expect_equal, main, test, wait_until
from server import Server, expect_refused


def outcome(answer):
    return answer.status, answer.error


def token_line(name, token, role="writer"):
    return f"{name} {role} {hashlib.sha256(token.encode()).hexdigest()}\n"


def bearer(token):
    return [("Authorization", f"Bearer {token}")]


@test
def on_loopback_the_host_is_a_loopback_name(context):
    with Server(context) as server, server.client() as client:
        port = server.port
        for host in (
            "127.0.0.1",
            f"127.0.0.1:{port}",
            "localhost",
            f"localhost:{port}",
            f"LocalHost:{port}",
            "[::1]",
            f"[::1]:{port}",
        ):
            expect_equal(
                outcome(client.get("a", [("Host", host)])), (404, "not_found"), f"Host {host}"
            )
        for host in (
            "example.com",
            f"example.com:{port}",
            "127.0.0.1.example.com",
            "localhost.example.com",
            "192.0.2.1",
            "0.0.0.0",
            "evil",
        ):
            answer = server.request("GET", "/objects/a", fields=[("Host", host)])
            expect_equal(outcome(answer), (403, "denied"), f"Host {host}")
            answer = server.request(
                "PUT", "/objects/a", b"x", fields=[("Host", host), ("If-None-Match", "*")]
            )
            expect_equal(outcome(answer), (403, "denied"), f"PUT with Host {host}")
        expect_equal(client.get("a").status, 404, "nothing was written")
        server.stop_clean()


@test
def on_loopback_a_page_of_another_site_can_not_write(context):
    with Server(context, module="notes") as server:
        port = server.port
        form = [("Content-Type", "text/plain")]
        for origin in (
            "http://example.com",
            f"http://example.com:{port}",
            "null",
            "http://127.0.0.1:1",
            f"http://127.0.0.1:{port}.example.com",
            "https://evil",
        ):
            fields = [("Origin", origin)]
            for method, target, body in (
                ("PUT", "/objects/a", b"x"),
                ("POST", "/objects/a/append", b"line=x"),
                ("POST", "/objects/a/remove", b""),
            ):
                extra = [("If-None-Match", "*")] if method == "PUT" else form
                answer = server.request(method, target, body, fields + extra)
                expect_equal(
                    outcome(answer), (403, "denied"), f"{method} {target} with Origin {origin}"
                )
                for name in answer.fields:
                    expect(not name.startswith("access-control-"), f"the answer has a field {name}")
            expect_equal(
                server.request("GET", "/objects/a", fields=fields).status,
                404,
                f"GET with Origin {origin}",
            )
        own = [("Origin", f"http://127.0.0.1:{port}"), ("If-None-Match", "*")]
        expect_equal(
            outcome(server.request("PUT", "/objects/a", b"x", own)),
            (200, "none"),
            "PUT of its own page",
        )
        server.stop_clean()


@test
def with_tokens_only_who_has_one_may(context):
    tokens = context.write(
        "tokens", "# who may\n" + token_line("ann", "secret-of-ann") + token_line("bob", "old")
    )
    with Server(context, "--token-file", tokens) as server:
        for fields in (
            [],
            bearer("wrong"),
            bearer("secret-of-an"),
            bearer("secret-of-ann2"),
            bearer(""),
            [("Authorization", "Basic secret-of-ann")],
            [("Authorization", "secret-of-ann")],
        ):
            for method, target in (
                ("GET", "/objects/a"),
                ("PUT", "/objects/a"),
                ("GET", "/-/stats"),
            ):
                body = b"x" if method == "PUT" else None
                extra = [("If-None-Match", "*")] if body else []
                answer = server.request(method, target, body, fields + extra)
                expect_equal(
                    outcome(answer), (401, "unauthenticated"), f"{method} {target} with {fields}"
                )
                expect(
                    answer.fields.get("www-authenticate", "").startswith("Bearer"),
                    "no WWW-Authenticate: Bearer",
                )
        with server.client() as client:
            good = bearer("secret-of-ann")
            expect_equal(
                client.get("a", good).status, 404, "a good token, and nothing was written before"
            )
            put = client.request("PUT", "/objects/a", b"x", good + [("If-None-Match", "*")])
            expect_equal(outcome(put), (200, "none"), "PUT with a good token")
            expect_equal(
                client.request("GET", "/-/stats", None, good).status,
                200,
                "/-/stats with a good token",
            )
        # A big body of a stranger is refused before it is sent.
        with server.client() as client:
            client.send(
                client.text(
                    "PUT",
                    "/objects/b",
                    None,
                    [
                        ("If-None-Match", "*"),
                        ("Content-Length", 1 << 20),
                        ("Expect", "100-continue"),
                    ],
                )
            )
            expect_equal(outcome(client.read()), (401, "unauthenticated"), "a body of a stranger")
        ended = server.stop()
        expect_equal(ended.status, 0, "exit status")
        expect("secret" not in ended.stderr, "a token is in what the server wrote")


@test
def the_token_file_is_read_anew_on_sighup_and_a_bad_one_changes_nothing(context):
    tokens = context.write("tokens", token_line("ann", "old"))
    with Server(context, "--token-file", tokens) as server, server.client() as client:
        expect_equal(client.get("a", bearer("old")).status, 404, "the old token")
        context.write("tokens", token_line("ann", "old") + token_line("ann", "new"))
        expect_equal(
            server.request("GET", "/objects/a", fields=bearer("new")).status,
            401,
            "before the signal",
        )
        server.send_signal(signal.SIGHUP)
        status = lambda token: server.request("GET", "/objects/a", fields=bearer(token)).status
        wait_until(lambda: status("new") == 404, 5, "the new token holds")
        expect_equal(status("old"), 404, "the old token beside the new one")
        context.write("tokens", token_line("ann", "new"))
        server.send_signal(signal.SIGHUP)
        wait_until(lambda: status("old") == 401, 5, "the old token holds no more")
        context.write("tokens", "ann writer not-a-sum\n")
        server.send_signal(signal.SIGHUP)
        # A reload that fails is told on stderr; then the tokens must be as they were.
        wait_until(lambda: "tokens" in server.stderr_text(), 5, "a bad file is told")
        expect_equal((status("new"), status("old")), (404, 401), "tokens after a bad file")
        expect_equal(
            client.get("a", bearer("new")).status, 404, "a connection that was there all the time"
        )
        expect_equal(server.stop().status, 0, "exit status")


@test
def a_token_file_that_others_can_read_or_that_is_wrong_is_refused(context):
    line = token_line("ann", "secret")
    public = context.write("public", line, 0o644)
    expect_refused(context, "--token-file", public, status=1, words=["public"])
    for name, text in (
        ("empty", "# nobody\n"),
        ("short", "ann writer abc\n"),
        ("fields", "ann " + "0" * 64 + "\n"),
    ):
        expect_refused(context, "--token-file", context.write(name, text), status=1, words=[name])
    expect_refused(context, "--token-file", context.path("missing"), status=1, words=["missing"])
    private = context.write("private", line)
    expect_refused(context, "--token-file", private, "--open", status=2, words=["--open"])
    expect(not os.path.exists(context.path("store")), "a store was made")


@test
def with_tokens_a_server_may_listen_to_everybody(context):
    tokens = context.write("tokens", token_line("ann", "secret"))
    with Server(context, "--token-file", tokens, "--listen", "0.0.0.0") as server:
        for host in ("pure.example", "127.0.0.1"):
            named = [("Host", host)]
            expect_equal(server.request("GET", "/objects/a", fields=named).status, 401, "no token")
            expect_equal(
                server.request("GET", "/-/metrics", fields=named).status, 401, "its pages too"
            )
            expect_equal(
                server.request("GET", "/objects/a", fields=bearer("secret") + named).status,
                404,
                "a good token",
            )
        server.stop_clean()


if __name__ == "__main__":
    main(__doc__)
