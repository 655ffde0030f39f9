"""What bench/run.py measures: servers on loopback, started for a run and stopped at its end."""

import contextlib
import json
import os
import select
import shlex
import shutil
import socket
import subprocess
import time

PAGE_BYTES = 1500
START_SECONDS = 20


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def pinned(core):
    """For a child's start: one core of its own, where there are two."""
    return (lambda: os.sched_setaffinity(0, {core})) if os.cpu_count() > 1 else None


class Subject:
    """A running server. `flags`: how the load loop asks it; `redis`: another client asks it."""

    redis = False

    def __init__(self, name, command, flags=(), port=0, core=0):
        self.name = name
        self.flags = list(flags)
        self.port = port
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL if port else subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            preexec_fn=None if core is None else pinned(core),
        )

    def await_port(self):
        """Waits until a known port is served."""
        end = time.monotonic() + START_SECONDS
        while True:
            with contextlib.suppress(OSError), socket.create_connection(
                ("127.0.0.1", self.port), 1
            ):
                return self
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"{self.name} does not serve port {self.port}")
            time.sleep(0.02)

    def read_port(self):
        """Waits for a first line of JSON that says the port."""
        ready, _, _ = select.select([self.process.stdout], [], [], START_SECONDS)
        line = self.process.stdout.readline() if ready else b""
        if not line:
            raise RuntimeError(f"{self.name} did not start")
        self.port = json.loads(line)["port"]
        return self

    def process_ids(self):
        """Its own, and its children's."""
        path = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        with open(path, encoding="ascii") as file:
            return [self.process.pid, *map(int, file.read().split())]

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()


class Redis(Subject):
    redis = True


def pure(arguments, folder, name="pure", options=()):
    command = [arguments.pure, "serve", arguments.module, "--store", os.path.join(folder, name)]
    return Subject(name, [*command, "--port", "0", "--connections", "2048", *options]).read_port()


def bare(arguments, folder, writes):
    template = arguments.bare_write if writes else arguments.bare_read
    port = free_port()
    log = os.path.join(folder, "bare.log")
    text = template.format(port=port, log=log, bytes=PAGE_BYTES)
    return Subject("bare loop", shlex.split(text), port=port).await_port()


NGINX = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/nginx.error;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
  sendfile on;
  tcp_nodelay on;
  open_file_cache max=100;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
  uwsgi_temp_path {folder}; scgi_temp_path {folder};
  server {{ listen 127.0.0.1:{port}; root {folder}/www; }}
}}
"""


def nginx(folder):
    program = shutil.which("nginx")
    if program is None:
        return None
    os.makedirs(os.path.join(folder, "www"), exist_ok=True)
    os.chmod(folder, 0o755)  # its worker is another user
    with open(os.path.join(folder, "www", "page"), "wb") as file:
        file.write(b"x" * PAGE_BYTES)
    port = free_port()
    path = os.path.join(folder, "nginx.conf")
    with open(path, "w", encoding="ascii") as file:
        file.write(NGINX.format(folder=folder, port=port))
    command = [program, "-c", path, "-p", folder]
    return Subject("nginx, a file", command, ["--path=/page"], port).await_port()


def redis(folder, writes):
    program = shutil.which("redis-server")
    if program is None or shutil.which("redis-benchmark") is None:
        return None
    port = free_port()
    keeping = [
        "--appendonly",
        "yes",
        "--appendfsync",
        "always",
        "--auto-aof-rewrite-percentage",
        "0",
    ]
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder]
    name = "redis SET, always" if writes else "redis GET"
    command += keeping if writes else ["--appendonly", "no"]
    server = Redis(name, command, port=port).await_port()
    with socket.create_connection(("127.0.0.1", port)) as client:  # what redis-benchmark reads
        value = b"x" * PAGE_BYTES
        client.sendall(b"SET key:__rand_int__ %s\r\nSET key:000000000000 %s\r\n" % (value, value))
        client.recv(100)
    return server
