"""A small HTTP/1.1 client that sends what it is told to, byte by byte if need be."""

import socket
import struct
import time

from harness import Failure

SECONDS = 20  # longest wait for an answer


class Answer:
    def __init__(self, status, fields, body):
        self.status = status
        self.fields = fields  # by name in lower case
        self.body = body

    @property
    def etag(self):
        return self.fields.get("etag", "")

    @property
    def revision(self):
        return int(self.etag.strip('"')) if self.etag else 0

    @property
    def error(self):
        return self.fields.get("x-pure-error", "")

    def __repr__(self):
        return f"{self.status} {self.error} {self.etag} {len(self.body)} bytes"


class Closed(Exception):
    """The connection ended before an answer was complete."""


class Client:
    """One connection. `address`: (host, port), or the path of a unix socket."""

    def __init__(self, address, seconds=SECONDS, receive_buffer=0, source=None):
        self.unix = isinstance(address, str)
        family = (
            socket.AF_UNIX
            if self.unix
            else socket.AF_INET6
            if ":" in address[0]
            else socket.AF_INET
        )
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.settimeout(seconds)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        if source:
            self.socket.bind((source, 0))
        if not self.unix:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self.socket.connect(address)
        except OSError:
            self.socket.close()
            raise
        self.buffer = b""
        if self.unix:
            self.host = "localhost"
        else:
            self.host = (
                f"[{address[0]}]:{address[1]}"
                if ":" in address[0]
                else f"{address[0]}:{address[1]}"
            )

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        self.socket.close()

    def reset(self):
        """Ends the connection by a reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def text(self, method, target, body=None, fields=()):
        """A request as bytes. `fields`: pairs; a Host among them replaces the usual one."""
        lines = [f"{method} {target} HTTP/1.1"]
        if not any(name.lower() == "host" for name, _ in fields):
            lines.append(f"Host: {self.host}")
        if body is not None:
            lines.append(f"Content-Length: {len(body)}")
        lines += [f"{name}: {value}" for name, value in fields]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + (body or b"")

    def request(self, method, target, body=None, fields=()):
        self.send(self.text(method, target, body, fields))
        return self.read(method == "HEAD")

    def get(self, key, fields=()):
        return self.request("GET", f"/objects/{key}", None, fields)

    def put(self, key, body, revision=0):
        """Creates for revision 0, else replaces that revision."""
        return self.request("PUT", f"/objects/{key}", body, [condition(revision)])

    def read(self, head_only=False):
        """The next answer, 1xx too."""
        while b"\r\n\r\n" not in self.buffer:
            self._receive()
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        version, _, rest = lines[0].partition(" ")
        if not version.startswith("HTTP/1.1") or not rest[:3].isdigit():
            raise Failure(f"not a status line: {lines[0]!r}")
        status = int(rest[:3])
        fields = {}
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            if not colon or name.lower() in fields:
                raise Failure(f"a field without colon, or twice: {line!r}")
            fields[name.lower()] = value.strip()
        length = (
            0
            if head_only or status < 200 or status in (204, 304)
            else int(fields["content-length"])
        )
        while len(self.buffer) < length:
            self._receive()
        body, self.buffer = self.buffer[:length], self.buffer[length:]
        return Answer(status, fields, body)

    def _receive(self):
        try:
            chunk = self.socket.recv(1 << 20)
        except (ConnectionError, TimeoutError) as error:
            raise Closed(f"{error!r} after {self.buffer[-200:]!r}") from None
        if not chunk:
            raise Closed(f"closed after {self.buffer[-200:]!r}")
        self.buffer += chunk

    def ended(self, seconds=5):
        """Waits until the server has closed, by a reset too. False: it has not, or more came."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.socket.settimeout(max(0.01, end - time.monotonic()))
            try:
                if not self.socket.recv(4096):
                    return True
                return False
            except ConnectionError:
                return True
            except TimeoutError:
                return False
        return False


def condition(revision):
    return ("If-Match", f'"{revision}"') if revision else ("If-None-Match", "*")
