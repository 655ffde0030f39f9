"""The command line: exit statuses, stdout and stderr, the start line, and the tools on a store."""

import json
import os
import re
import socket
import subprocess

from client import Client
from commands import environment, expect_run, run
from harness import expect, expect_equal, main, test
from server import Server, expect_refused

START_FIELDS = ["port", "threads", "transport", "storage", "module", "version", "owner"]
ENDING_FIELDS = [
    "active",
    "retained_payload_bytes",
    "accepted",
    "requests",
    "bursts",
    "burst_events",
    "expired",
    "threads",
    "owner",
    "commit_groups",
    "grouped_commits",
    "transport",
    "uptime_ms",
    "peak_retained_payload_bytes",
    "budget_rejections",
    "borrowed_output_bytes",
    "store_bytes",
]


def wrong_usage(context, *arguments):
    """Exit 2, all words on stderr."""
    expect_run(context, *arguments, status=2, stdout="", stderr=re.compile(r"\S"))


@test
def the_start_line_is_one_json_line_and_the_last_line_counts(context):
    with Server(context, "--threads", 2) as server:
        expect_equal(server.start_line.count("\n"), 1, "line ends in the start line")
        expect_equal(list(server.start), START_FIELDS, "fields of the start line, in order")
        expect_equal(
            (server.start["threads"], server.start["module"], server.start["version"]),
            (2, "objects", 1),
        )
        expect_equal(server.start["storage"], "immutable-byte-extents-v1")
        expect(
            server.start["transport"] in ("epoll", "io_uring"),
            f"transport {server.start['transport']!r}",
        )
        server.request("GET", "/objects/a")
        output = server.process.stdout
        statistics = server.stop_clean()
        expect(output.closed, "stdout is still open")
    expect_equal(
        list(statistics)[: len(ENDING_FIELDS)], ENDING_FIELDS, "fields of the last line, in order"
    )
    expect_equal((statistics["accepted"], statistics["requests"]), (1, 1), "accepted and requests")


@test
def nothing_but_the_start_line_goes_to_stdout(context):
    command = [
        context.pure,
        "serve",
        context.module(),
        "--store",
        context.path("store"),
        "--port",
        "0",
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as process:
        line = process.stdout.readline()
        port = json.loads(line)["port"]
        with Client(("127.0.0.1", port)) as client:
            client.put("a", b"1")
        process.terminate()
        rest, errors = process.communicate(timeout=30)
        expect_equal(rest, b"", "stdout behind the start line")
        expect_equal(errors.count(b"\n"), 1, f"lines on stderr: {errors!r}")
        expect_equal(process.returncode, 0, "exit status")


@test
def the_store_is_private_and_named_after_the_module_by_default(context):
    ended = subprocess.Popen(
        [context.pure, "serve", context.module("notes"), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
        cwd=context.directory,
    )
    try:
        expect_equal(json.loads(ended.stdout.readline())["module"], "notes")
        expect_equal(
            os.stat(context.path("notes.store")).st_mode & 0o777, 0o700, "mode of the store"
        )
        for name in os.listdir(context.path("notes.store")):
            expect_equal(
                os.stat(context.path(f"notes.store/{name}")).st_mode & 0o077,
                0,
                f"what others may do to {name}",
            )
    finally:
        ended.kill()
        ended.communicate()


@test
def wrong_options_of_serve_are_wrong_usage(context):
    module = context.module()
    wrong_usage(context, "serve")
    wrong_usage(context, "serve", module, "again")
    for options in (
        ["--nonsense"],
        ["--nonsense", "1"],
        ["--port"],
        ["--port", ""],
        ["--port="],
        ["--port", "-1"],
        ["--port", "+1"],
        ["--port", "65536"],
        ["--port", "99999999999999999999"],
        ["--port", "80x"],
        ["--threads", "0"],
        ["--threads", "1.5"],
        ["--connections", "0"],
        ["--budget", "k"],
        ["--budget", "1T"],
        ["--budget", "99999999999999999999G"],
        ["--transport", "carrier-pigeon"],
        ["--on-sync-error", "retry"],
        ["--listen", "example.com"],
        ["--listen", "::1"],
        ["--listen", "unix:"],
        ["--flagfile"],
        ["--flagfile", "/nowhere/at/all"],
        ["-port", "1"],
    ):
        wrong_usage(context, "serve", module, "--store", context.path("store"), *options)
    expect(not os.path.exists(context.path("store")), "a store was made for a wrong command line")


@test
def wrong_commands_are_wrong_usage(context):
    for arguments in (
        ["nonsense"],
        ["--nonsense"],
        ["check"],
        ["check", "a", "b"],
        ["version", "x"],
        ["store"],
        ["store", "burn", "x"],
        ["store", "stat"],
        ["store", "get", "x"],
        ["store", "get", "x", "k", "y"],
        ["store", "get", "x", "not/a/key"],
        ["store", "dump"],
        ["store", "module", "x", "y"],
        ["store", "compact", "x", "y"],
        ["store", "backup", "x"],
        ["store", "backup", "x", "y", "z"],
        ["store", "restore", "x"],
        ["store", "restore"],
        ["help", "nonsense"],
    ):
        wrong_usage(context, *arguments)


@test
def an_address_that_others_reach_needs_tokens_or_the_word(context):
    for address in ("0.0.0.0", "[::]", "192.0.2.1"):
        expect_refused(context, "--listen", address, status=2, words=["--token-file", "--open"])
    expect(not os.path.exists(context.path("store")), "a store was made")
    with Server(context, "--listen", "0.0.0.0", "--open") as server:
        expect_equal(
            server.request("GET", "/objects/a", fields=[("Host", "anything.example")]).status,
            404,
            "whoever comes, by any name",
        )
        server.stop_clean()


@test
def a_flag_file_is_read_and_the_last_of_an_option_stands(context):
    flags = context.write("flags", "# of this machine\nthreads 3\n\n--budget=2M\nport=1\n")
    with Server(context, "--threads", 2, "--flagfile", flags, "--port", 0, "--threads=1") as server:
        expect_equal(server.start["threads"], 1, "threads")
        expect(server.port > 1, "the port of the flag file stands")
        with server.client() as client:
            client.send(
                client.text(
                    "PUT", "/objects/a", None, [("If-None-Match", "*"), ("Content-Length", 3 << 20)]
                )
            )
            expect_equal(
                client.read().error, "payload_budget", "a body over the flag file's budget"
            )
        server.stop_clean()
    bad = context.write("bad", "threads 1\nthread 2\n")
    expect_refused(context, "--flagfile", bad, status=2, words=[f"{bad}:2"])


@test
def a_good_module_is_described_in_one_json_line(context):
    for name, message in (("objects", "edit"), ("notes", "append")):
        line = expect_run(context, "check", context.module(name), status=0, stderr="")
        expect_equal(line.count("\n"), 1, "line ends")
        described = json.loads(line)
        expect_equal(
            (described["module"], described["version"], described["sharded"]), (name, 1, True)
        )
        expect(f'"{message}"' in line, f"{message} is not in {line!r}")


@test
def a_bad_module_is_refused_with_every_error_in_its_place(context):
    path = context.write(
        "bad.pure",
        "module bad 1\n\ndocument thing(key: slug(64)): bytes(..nonsense)\n"
        "  message show { reply value else not_found }\n"
        "  message edit(body: bytes(..1MiB)) { valeu = body; reply none }\n",
    )
    errors = run(context, "check", path)
    expect_equal((errors.returncode, errors.stdout), (2, b""), "exit status and stdout of check")
    text = errors.stderr.decode()
    found = [
        tuple(map(int, place))
        for place in re.findall(rf"^{re.escape(path)}:(\d+):(\d+): ", text, re.M)
    ]
    expect((3, 47) in found or any(line == 3 for line, _ in found), f"no error in line 3: {text!r}")
    expect(
        any(line == 5 for line, _ in found), f"no error in line 5, only the first is told: {text!r}"
    )
    expect_equal(found, sorted(found), "the errors' order")
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if re.match(rf"{re.escape(path)}:\d+:\d+: ", line):
            column = int(line[len(path) + 1 :].split(":")[1])
            expect_equal(
                lines[number + 2].index("^") + 1, column, f"the caret under {lines[number + 1]!r}"
            )
    expect_equal(
        expect_refused(context, module=path, status=2), text, "what serve says of the same file"
    )
    expect_refused(context, module=context.path("missing.pure"), status=2, words=["missing.pure"])
    expect_run(
        context,
        "check",
        context.path("missing.pure"),
        status=2,
        stdout="",
        stderr=re.compile("missing.pure"),
    )
    expect(
        not os.path.exists(context.path("store")),
        "a store was made for a module that does not load",
    )


@test
def version_and_help_go_to_stdout(context):
    expect_run(
        context,
        "version",
        status=0,
        stdout=re.compile(r"^pure \d+\.\d+\.\d+.*epoll.*\n$"),
        stderr="",
    )
    for arguments in (
        ["help"],
        ["--help"],
        ["help", "serve"],
        ["help", "store"],
        ["help", "check"],
        ["serve", "--help"],
    ):
        expect_run(context, *arguments, status=0, stdout=re.compile(r"pure \w+"), stderr="")
    text = expect_run(context, "help", status=0)
    for command in ("serve", "check", "store", "version", "help"):
        expect(f"pure {command}" in text, f"help does not name {command}")
    options = expect_run(context, "serve", "--help", status=0)
    for option, default in (
        ("store", ""),
        ("port", "8767"),
        ("listen", "127.0.0.1"),
        ("threads", "1"),
        ("connections", "1024"),
        ("budget", "64M"),
        ("timeout-ms", "10000"),
        ("transport", "epoll"),
        ("header-limit", "4096"),
        ("drain-ms", "10000"),
        ("token-file", ""),
        ("open", ""),
        ("on-sync-error", "exit"),
        ("object-limit", "16M"),
        ("flagfile", ""),
    ):
        match = re.search(rf"^ *--{option}\b(.*?)(?=^ *--|\Z)", options, re.M | re.S)
        expect(match, f"serve --help does not list --{option}")
        expect(default in match.group(1), f"--{option} is listed without its default {default}")


@test
def a_port_in_use_is_refused_by_name(context):
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        for threads in ("1", "2"):
            expect_refused(
                context,
                "--port",
                str(port),
                "--threads",
                threads,
                status=1,
                words=[str(port), "in use"],
            )
    with Server(context, "--threads", 2) as server:
        other = context.path("other")
        expect_refused(
            context,
            "--port",
            str(server.port),
            "--threads",
            "2",
            store=other,
            status=1,
            words=["in use"],
        )
        server.stop_clean()


if __name__ == "__main__":
    main(__doc__)
