"""The server under test: started for one configuration, filled, stopped and looked at."""

import hashlib
import json
import os
import random
import shutil
import subprocess
import tempfile
import time

from wire import Wire

START_S, STOP_S, FETCH_S = 10, 5, 5
LARGE_BYTES = 16 << 20
TOKEN = "good"
OPTIONS = {"timeout_ms": "--timeout-ms", "budget": "--budget", "capacity": "--connections"}
DEFAULTS = {"timeout_ms": 2000, "budget": 64 << 20, "capacity": 1024}
# Of prime length, so that a copy that is shifted by anything round differs.
BLOCK = random.Random(20240607).randbytes(65537)


class Trouble(Exception):
    """The server does not start, or its documents are not as they must be."""


def pattern(size):
    """`size` bytes that are the same each time and repeat only after 64 KiB."""
    return (BLOCK * (size // len(BLOCK) + 1))[:size]


def json_object(line):
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


class Server:
    """One process. Its store and its output are in a directory that goes away with it."""

    def __init__(self, command, config, slack):
        self.slack, self.signalled = slack, False
        self.token = TOKEN if config.get("auth") == "token" else None
        self.directory = tempfile.mkdtemp(prefix="conformance-")
        self.process = None
        values = {**DEFAULTS, **{key: value for key, value in config.items() if key in OPTIONS}}
        values["timeout_ms"] = round(values["timeout_ms"] * slack)
        words = [*command, "--store", self.path("store"), "--port", "0"]
        for key, option in OPTIONS.items():
            words += [option, str(values[key])]
        if self.token:
            words += ["--token-file", self.token_file()]
        try:
            with open(self.path("out"), "wb") as out, open(self.path("err"), "wb") as err:
                self.process = subprocess.Popen(
                    words, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)
            self.port = self.await_start_line()
        except BaseException:
            self.kill()
            raise

    def path(self, name):
        return os.path.join(self.directory, name)

    def text(self, name):
        with open(self.path(name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def token_file(self):
        path = self.path("tokens")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
            file.write(f"tester writer {hashlib.sha256(self.token.encode()).hexdigest()}\n")
        return path

    def await_start_line(self):
        until = time.monotonic() + START_S * self.slack
        while "\n" not in self.text("out"):
            if self.process.poll() is not None or time.monotonic() > until:
                errors = self.text("err")[-400:]
                raise Trouble(f"no start line; exit {self.process.poll()}: {errors}")
            time.sleep(0.005)
        line = self.text("out").splitlines()[0]
        port = json_object(line).get("port")
        if not isinstance(port, int):
            raise Trouble(f"a start line of {line!r}")
        return port

    def credentials(self):
        """The field lines that let a request in."""
        return [f"Authorization: Bearer {self.token}"] if self.token else []

    def fetch(self, key, body=None, condition="If-None-Match: *"):
        """The answer to a GET, or to a PUT of `body`, on a connection of its own."""
        lines = [f"{'GET' if body is None else 'PUT'} /objects/{key} HTTP/1.1", "Host: localhost"]
        if body is not None:
            lines += [f"Content-Length: {len(body)}", condition]
        lines += self.credentials()
        wire = Wire(self.port, FETCH_S * self.slack)
        wire.send("\r\n".join(lines + ["", ""]).encode("latin-1") + (body or b""))
        wire.receive_until(wire.finals, FETCH_S * self.slack)
        wire.close()
        if not wire.finals():
            raise Trouble(f"{lines[0]}: {wire}")
        return wire.finals()[-1]

    def put(self, key, body):
        """Makes a document; returns its ETag."""
        answer = self.fetch(key, body)
        if answer.status != 200:
            raise Trouble(f"a new document is answered {answer}")
        return answer.field("ETag") or ""

    def signal_stop(self):
        if not self.signalled and self.process.poll() is None:
            self.process.terminate()
            self.signalled = True

    def stop(self):
        """Stops it. Returns what was wrong about the stop, or None."""
        self.signal_stop()
        try:
            code = self.process.wait(STOP_S * self.slack)
            errors = self.text("err")
        except subprocess.TimeoutExpired:
            return f"still there {STOP_S * self.slack:g} s after SIGTERM"
        finally:
            self.kill()
        if not self.signalled or code != 0:
            return f"exit {code}{'' if self.signalled else ' without a signal'}: {errors[-400:]}"
        lines = [found for found in map(json_object, errors.splitlines()) if "active" in found]
        if not lines:
            return f"no statistics: {errors[-400:]}"
        held = {key: lines[-1].get(key) for key in ("active", "retained_payload_bytes")}
        if held != {"active": 0, "retained_payload_bytes": 0}:
            return f"held at the end: {held}"
        if lines[-1].get("tickets") != lines[-1].get("releases"):
            return f"{lines[-1].get('tickets')} tickets, {lines[-1].get('releases')} releases"
        return None

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)
