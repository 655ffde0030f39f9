"""A client's connection, close to the wire: bytes out, answers in, and how it ended."""

import re
import socket
import struct
import time

HEAD_BYTES_MAX = 64 << 10
BYTES_MAX = 256 << 20  # no case needs more on one connection
STATUS_LINE = re.compile(rb"HTTP/1\.1 ([1-5][0-9][0-9]) [\t\x20-\x7e\x80-\xff]*")
FIELD_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)")
REQUEST_LINE = re.compile(rb"([A-Z]+) [^ \r\n]+ HTTP/1\.")


class Malformed(Exception):
    """Bytes that are no answer of HTTP/1.1."""


class Answer:
    """One answer. `length` is what its head announces of a body that follows."""

    def __init__(self, status, fields, length, body):
        self.status, self.fields, self.length, self.body = status, fields, length, body

    @property
    def cut_short(self):
        return len(self.body) < self.length

    def field(self, name):
        return self.fields.get(name.lower())

    def __str__(self):
        mark = " cut short" if self.cut_short else ""
        return f"{self.status} {self.field('X-Pure-Error') or '-'}{mark}"


def parse_head(head):
    """Status and fields of an answer's head, which must be of the strict form."""
    first, *rest = head.split(b"\r\n")
    line = STATUS_LINE.fullmatch(first)
    if not line:
        raise Malformed(f"a status line of {first[:80]!r}")
    fields = {}
    for text in rest:
        field = FIELD_LINE.fullmatch(text)
        if not field:
            raise Malformed(f"a field line of {text[:80]!r}")
        name, value = field[1].decode().lower(), field[2].rstrip(b" \t").decode("latin-1")
        if name in ("content-length", "transfer-encoding") and name in fields:
            raise Malformed(f"two of {name}")
        fields[name] = f"{fields[name]}, {value}" if name in fields else value
    return int(line[1]), fields


def body_length(status, fields, head_only):
    """How long the body is that follows (RFC 9112 6.3); no answer of this server is chunked."""
    announced = fields.get("content-length")
    if "transfer-encoding" in fields:
        raise Malformed(f"a {status} with a transfer coding")
    if announced is not None and not re.fullmatch("[0-9]{1,19}", announced):
        raise Malformed(f"a length of {announced!r}")
    if status < 200 or status == 204:
        if announced is not None:
            raise Malformed(f"a {status} with a length")
        return 0
    if status == 304 or head_only:
        return 0
    if announced is None:
        raise Malformed(f"a {status} without a length")
    return int(announced)


def take_answer(data, begin, head_only, ended):
    """The answer that starts at data[begin] and where it stops; None while bytes are missing."""
    end = data.find(b"\r\n\r\n", begin)
    start = bytes(data[begin:begin + 9])
    if not b"HTTP/1.1 ".startswith(start) or (end < 0 and len(data) - begin > HEAD_BYTES_MAX):
        raise Malformed(f"bytes that are no answer: {bytes(data[begin:begin + 80])!r}")
    if end < 0:
        if ended:
            raise Malformed(f"half a head: {bytes(data[begin:])[:80]!r}")
        return None
    status, fields = parse_head(bytes(data[begin:end]))
    length = body_length(status, fields, head_only)
    body = end + 4
    if len(data) - body < length and not ended:
        return None
    answer = Answer(status, fields, length, bytes(data[body:body + length]))
    return answer, body + len(answer.body)


class Wire:
    """One connection to a server on loopback.

    end: None while it is open, then "closed" (by the server), "reset", or "aborted" (by this side).
    trouble: bytes came that are no answer, or too many.
    """

    def __init__(self, port, limit_s, receive_buffer=None):
        self.answers, self.end, self.trouble, self.send_error = [], None, None, None
        self.sent, self.received, self.taken, self.expected = bytearray(), bytearray(), 0, 0
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(limit_s)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.opened_at = self.last_at = time.monotonic()
        self.until = self.opened_at + limit_s

    def finals(self):
        return [answer for answer in self.answers if answer.status >= 200]

    def statuses(self):
        return [answer.status for answer in self.answers]

    def send(self, data):
        """Sends all of it, or notes why not."""
        self.sent += data[:max(0, HEAD_BYTES_MAX - len(self.sent))]
        rest = memoryview(data)
        try:
            while rest and self.send_error is None:
                self.socket.settimeout(max(0.001, self.until - time.monotonic()))
                rest = rest[self.socket.send(rest[:256 << 10]):]
        except OSError as error:
            self.send_error = str(error)

    def receive(self, wait_s, most=256 << 10):
        """Receives once. False when nothing came in time, or nothing can come any more."""
        wait_s = min(wait_s, self.until - time.monotonic())
        if wait_s <= 0 or self.end or self.trouble:
            return False
        self.socket.settimeout(wait_s)
        try:
            data = self.socket.recv(most)
        except socket.timeout:
            return False
        except OSError:
            data, self.end = b"", "reset"
        self.last_at = time.monotonic()
        if not data and not self.end:
            self.end = "closed"
        self.received += data
        if len(self.received) > BYTES_MAX:
            self.trouble = f"more than {BYTES_MAX} bytes"
        self.take_answers()
        return True

    def take_answers(self):
        try:
            while self.taken < len(self.received) and not self.trouble:
                found = take_answer(self.received, self.taken, self.next_is_head_only(), self.end)
                if found is None:
                    return
                self.answers.append(found[0])
                self.taken = found[1]
        except Malformed as error:
            self.trouble = str(error)

    def next_is_head_only(self):
        """True when the next final answer is one to HEAD, as far as the bytes sent tell."""
        if b"HEAD " not in self.sent:
            return False
        methods = REQUEST_LINE.findall(bytes(self.sent))
        index = len(self.finals())
        return index < len(methods) and methods[index] == b"HEAD"

    def receive_until(self, done, wait_s):
        """Receives until done(), the end, or for wait_s."""
        until = time.monotonic() + wait_s
        while not done() and self.receive(until - time.monotonic()):
            pass

    def send_paced(self, pieces, every_s):
        """Sends pieces one by one and receives between them, until the server has had enough."""
        for piece in pieces:
            if self.end or self.send_error:
                return
            self.send(piece)
            self.receive_until(lambda: False, every_s)

    def receive_slowly(self, bytes_per_s, wait_s):
        """Receives one answer at that rate."""
        answers, size = len(self.answers), len(self.received)
        while len(self.answers) == answers and self.receive(wait_s, 64 << 10):
            time.sleep((len(self.received) - size) / bytes_per_s)
            size = len(self.received)

    def end_sending(self):
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the server was first

    def abort(self):
        """Resets the connection; what was not read is lost."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()
        self.end = "aborted"

    def close(self):
        self.socket.close()

    def __str__(self):
        shown = [str(answer) for answer in self.answers[:4]]
        if len(self.answers) > 4:
            shown.append(f"{len(self.answers) - 4} more")
        return f"{', '.join(shown) or 'no answer'} ({self.trouble or self.end or 'open'})"
