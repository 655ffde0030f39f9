"""Each answer to a write is sent after a sync that covers it has returned 0, as strace sees it."""

import os
import re
import shutil
import subprocess
import threading

from harness import Failure, Skip, expect, expect_equal, main, say, test
from server import Server

WRITES = ("pwrite64", "pwritev", "pwritev2")
RECEIVES = ("recvfrom", "recvmsg", "read", "readv")
SENDS = ("sendto", "sendmsg", "write", "writev")
SYNCS = ("fdatasync", "fsync")
CALLS = ",".join(WRITES + RECEIVES + SENDS + SYNCS)
MARK = re.compile(r"mark-\w+-mark")


class Call:
    """One system call, from its line's begin to its end in the trace."""

    def __init__(self, name, descriptor, begun):
        self.name = name
        self.descriptor = descriptor
        self.begun = begun
        self.ended = None
        self.text = ""
        self.result = None


def parse(path):
    """All calls of a trace. A line may hold a call's begin or end only: threads overlap."""
    open_calls, calls = {}, []
    with open(path, encoding="latin-1") as file:
        for number, line in enumerate(file):
            thread, _, rest = line.rstrip("\n").partition(" ")
            rest = rest.lstrip()
            resumed = re.match(r"<\.\.\. (\w+) resumed>", rest)
            if resumed:
                call = open_calls.pop(thread)
            else:
                begun = re.match(r"(\w+)\((\d+)", rest)
                if not begun:
                    continue
                call = Call(begun.group(1), int(begun.group(2)), number)
                calls.append(call)
            call.text += rest
            if rest.endswith("<unfinished ...>"):
                open_calls[thread] = call
                continue
            result = re.search(r"\) += (-?\d+)", rest)
            call.ended = number
            call.result = int(result.group(1)) if result else None
    return calls


def check(calls):
    """Each 200 is for the marked write that its connection received last. Gives their number."""
    received = {}  # descriptor: (mark, line)
    written = {}  # mark: the segment's descriptor and the line in which its write ended
    syncs = {}  # descriptor: [(begun, ended)] of those that returned 0
    answered = 0
    for call in calls:
        if call.name in SYNCS and call.result == 0:
            syncs.setdefault(call.descriptor, []).append((call.begun, call.ended))
        elif call.name in WRITES and call.result and call.result > 0:
            for mark in MARK.findall(call.text):
                written.setdefault(mark, (call.descriptor, call.ended))
    for call in sorted(calls, key=lambda one: one.begun if one.name in SENDS else one.ended or 0):
        marks = MARK.findall(call.text)
        if call.name in RECEIVES and marks:
            expect_equal(len(marks), 1, "marks in one receive")
            received[call.descriptor] = marks[0]
        elif call.name in SENDS and "HTTP/1.1 200 OK" in call.text and call.descriptor in received:
            mark = received.pop(call.descriptor)
            expect(mark in written, f"{mark} was answered and never written to a file")
            file, write_ended = written[mark]
            covering = [
                ended
                for begun, ended in syncs.get(file, ())
                if begun > write_ended and ended < call.begun
            ]
            expect(
                covering,
                f"{mark}: written until line {write_ended}, answered in line {call.begun}, "
                f"and no sync between them",
            )
            answered += 1
    return answered


def trace_of(context, threads, clients, writes):
    """Serves some writes under strace; gives the trace's path."""
    if not shutil.which("strace"):
        raise Skip("strace is not installed")
    probe = subprocess.run(
        ["strace", "-f", "-e", "trace=none", "true"], capture_output=True, check=False
    )
    if probe.returncode:
        raise Skip(f"strace may not trace here: {probe.stderr.decode().strip()[:200]}")
    path = context.path("trace")
    strace = [
        "strace",
        "-f",
        "-o",
        path,
        "-s",
        "100000",
        "-e",
        f"trace={CALLS}",
        "-e",
        "signal=none",
    ]
    failures = []
    with Server(context, "--threads", threads, wrapper=strace) as server:

        def write(number):
            try:
                with server.client() as client:
                    for i in range(writes):
                        mark = b"mark-%d_%d_%d-mark" % (threads, number, i)
                        answer = client.put(f"k{number}", mark + b"." * 200, i)
                        expect_equal(
                            (answer.status, answer.revision), (200, i + 1), "the answer to a write"
                        )
            except Exception as failure:  # for the main thread to tell
                failures.append(failure)

        writers = [threading.Thread(target=write, args=(number,)) for number in range(clients)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        if failures:
            raise failures[0]
        stop_traced(server)
    return path


def stop_traced(server):
    """strace passes no signal on to what it traces: the server itself is told to stop."""
    with open(f"/proc/{server.pid}/task/{server.pid}/children", encoding="ascii") as file:
        os.kill(int(file.read().split()[0]), 15)
    ended = server.wait()
    expect_equal(ended.status, 0, f"exit status; {ended.stderr!r}")


@test
def a_lone_write_is_answered_after_its_sync(context):
    answered = check(parse(trace_of(context, 1, 1, 50)))
    expect_equal(answered, 50, "answers that were checked")


@test
def writes_of_many_clients_and_two_threads_are_answered_after_their_syncs(context):
    answered = check(parse(trace_of(context, 2, 12, 20)))
    expect_equal(answered, 240, "answers that were checked")
    say(f"{answered} answers, each behind the sync that covers it")


@test
def an_answer_before_its_sync_would_be_seen(context):
    """The check itself, over traces of servers that answer too early or whose sync fails."""
    receive = '10 recvfrom(7, "PUT /objects/a\\r\\nmark-a-mark", 8192, 0, NULL, NULL) = 50\n'
    write = '10 pwritev(4, [{iov_base="mark-a-mark", iov_len=11}], 1, 4096) = 11\n'
    sync = "10 fdatasync(4) = 0\n"
    failed = "10 fdatasync(4) = -1 EIO (Input/output error)\n"
    other = "10 fdatasync(5) = 0\n"
    send = '10 sendmsg(7, {msg_iov=[{iov_base="HTTP/1.1 200 OK\\r\\n"}]}, MSG_NOSIGNAL) = 17\n'
    early = "11 fdatasync(4 <unfinished ...>\n" + write + "11 <... fdatasync resumed>) = 0\n"
    late = write + "11 fdatasync(4 <unfinished ...>\n" + send + "11 <... fdatasync resumed>) = 0\n"
    good = write + "11 fdatasync(4 <unfinished ...>\n" + "11 <... fdatasync resumed>) = 0\n" + send

    def answered(text):
        with open(context.path("made"), "w", encoding="ascii") as file:
            file.write(text)
        return check(parse(context.path("made")))

    expect_equal(answered(receive + write + sync + send), 1, "a good trace")
    expect_equal(answered(receive + good), 1, "a good trace of two threads")
    for text in (
        write + send + sync,
        sync + write + send,
        write + failed + send,
        write + other + send,
        sync + send,
        early + send,
        late,
    ):
        try:
            answered(receive + text)
        except Failure:
            continue
        raise Failure(f"this passes: {text}")


if __name__ == "__main__":
    main(__doc__)
