"""A `pure serve` process: started until its start line, stopped or killed by its process id."""

import json
import os
import resource
import select
import signal
import subprocess
import tempfile
import time

from client import Client
from commands import environment
from harness import Failure, expect, expect_equal

START_SECONDS = 30
STOP_SECONDS = 30


class Ended:
    """How a server ended."""

    def __init__(self, status, stderr, seconds):
        self.status = status
        self.stderr = stderr
        self.seconds = seconds

    def statistics(self):
        """The JSON line that a stop prints."""
        lines = [line for line in self.stderr.splitlines() if line.startswith("{")]
        expect_equal(len(lines), 1, f"lines of statistics in {self.stderr!r}")
        return json.loads(lines[0])


class Server:
    """Use it in a `with`: what is left running is killed at its end."""

    def __init__(
        self, context, *options, module="objects", store=None, descriptors=None, wrapper=(), port=0
    ):
        self.context = context
        self.store = store or context.path("store")
        self.options = [str(option) for option in options]
        self.module = module if os.path.sep in module else context.module(module)
        self.descriptors = descriptors
        self.wrapper = list(wrapper)
        self.process = None
        self.stderr = None
        self.start_line = None
        self.start = None  # the start line, parsed
        self.port = port

    def __enter__(self):
        return self.begin()

    def __exit__(self, kind, value, trace):
        if self.process is not None:
            if kind is not None:
                print(f"    the server's stderr: {self.stderr_text()[-2000:]}")
            self.kill()

    def spawn(self):
        """Starts it and waits for nothing."""
        command = (
            self.wrapper
            + [
                self.context.pure,
                "serve",
                self.module,
                "--store",
                self.store,
                "--port",
                str(self.port),
            ]
            + self.options
        )
        limit = self.descriptors

        def lower():
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))

        self.stderr = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self.stderr,
            env=environment(),
            cwd=self.context.directory,
            preexec_fn=lower if limit else None,
        )
        return self

    def begin(self):
        """Starts it and reads the start line."""
        self.spawn()
        try:
            self._read_start_line()
        except Exception:
            self.kill()
            raise
        return self

    def _read_start_line(self):
        descriptor = self.process.stdout.fileno()
        end = time.monotonic() + START_SECONDS
        text = b""
        while not text.endswith(b"\n"):
            ready, _, _ = select.select([descriptor], [], [], max(0, end - time.monotonic()))
            chunk = os.read(descriptor, 4096) if ready else None
            if not chunk:
                status = self._exit_status()
                raise Failure(f"no start line (status {status}): {text!r} {self.stderr_text()!r}")
            text += chunk
        self.start_line = text.decode()
        self.start = json.loads(self.start_line)
        self.port = self.start["port"]

    def _exit_status(self):
        """None: it still runs."""
        try:
            return self.process.wait(1)
        except subprocess.TimeoutExpired:
            return None

    @property
    def pid(self):
        return self.process.pid

    def client(self, **options):
        return Client(("127.0.0.1", self.port), **options)

    def request(self, *arguments, **options):
        """One request on a connection of its own."""
        with self.client() as client:
            return client.request(*arguments, **options)

    def stats(self):
        return json.loads(self.request("GET", "/-/stats").body)

    def send_signal(self, number):
        self.process.send_signal(number)

    def stop(self, number=signal.SIGTERM, seconds=STOP_SECONDS):
        """Asks it to stop, and waits until it has."""
        begun = time.monotonic()
        self.process.send_signal(number)
        return self.wait(seconds, begun)

    def wait(self, seconds=STOP_SECONDS, begun=None):
        begun = begun or time.monotonic()
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failure(f"the server did not end within {seconds} s") from None
        ended = Ended(status, self.stderr_text(), time.monotonic() - begun)
        self._release()
        return ended

    def stop_clean(self):
        """A stop as it has to be: status 0, nothing held, all released. Gives the statistics."""
        ended = self.stop()
        expect_equal(ended.status, 0, f"exit status of a stop; stderr {ended.stderr!r}")
        statistics = ended.statistics()
        for field in ("active", "retained_payload_bytes"):
            expect_equal(statistics[field], 0, f"{field} at the end")
        if "tickets" in statistics:
            expect_equal(statistics["releases"], statistics["tickets"], "releases, of tickets")
        return statistics

    def kill(self):
        """kill -9."""
        if self.process is None:
            return
        self.process.kill()
        self.process.wait()
        self._release()

    def _release(self):
        self.process.stdout.close()
        self.stderr.close()
        self.process = None

    def stderr_text(self):
        self.stderr.seek(0)
        return self.stderr.read().decode(errors="replace")

    # What the kernel says of it.

    def sockets_open(self):
        """Descriptors of sockets: listeners and connections."""
        folder = f"/proc/{self.pid}/fd"
        count = 0
        for name in os.listdir(folder):
            try:
                count += os.readlink(os.path.join(folder, name)).startswith("socket:")
            except FileNotFoundError:
                pass  # closed just now
        return count

    def cpu_seconds(self):
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_bytes(self):
        with open(f"/proc/{self.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def cpu_share(self, seconds):
        """The share of one core that it uses."""
        before, begun = self.cpu_seconds(), time.monotonic()
        time.sleep(seconds)
        return (self.cpu_seconds() - before) / (time.monotonic() - begun)


def expect_refused(context, *options, status, words=(), module="objects", store=None):
    """`pure serve` ends by itself with that status, and says nothing on stdout."""
    server = Server(context, *options, module=module, store=store).spawn()
    try:
        code = server.process.wait(START_SECONDS)
    except subprocess.TimeoutExpired:
        raise Failure(f"pure serve {' '.join(options)} did not end") from None
    else:
        stdout = server.process.stdout.read().decode()
        stderr = server.stderr_text()
        what = f"pure serve {' '.join(server.options)}"
        expect_equal(code, status, f"exit status of {what}; stderr {stderr!r}")
        expect_equal(stdout, "", f"stdout of {what}")
        for word in words:
            expect(word in stderr, f"stderr of {what} does not say {word!r}: {stderr!r}")
        return stderr
    finally:
        server.kill()
