"""The curl lines of the README do what it says, as they are printed (but for the port)."""

import re
import shutil
import subprocess

from harness import Skip, expect_equal, main, test
from server import Server


@test
def the_five_lines_create_read_update_conflict_and_find_nothing_new(context):
    with open(context.arguments.readme, encoding="utf-8") as file:
        lines = re.findall(r"^ {4}(curl .*)$", file.read(), re.M)
    expect_equal(len(lines), 5, "curl lines in the README")
    if not shutil.which("curl"):
        raise Skip("curl is not installed")
    with Server(context) as server:
        answers = []
        for line in lines:
            line = line.replace("127.0.0.1:8767", f"127.0.0.1:{server.port}").replace(
                "curl ", "curl -s -m 10 ", 1
            )
            ended = subprocess.run(["sh", "-c", line], capture_output=True, timeout=20, check=True)
            head, _, body = ended.stdout.partition(b"\r\n\r\n")
            etag = re.search(rb'^ETag: "(\d+)"', head, re.M)
            answers.append((int(head.split()[1]), etag and int(etag.group(1)), body))
        expect_equal(
            answers,
            [(200, 1, b""), (200, 1, b"hello"), (200, 2, b""), (412, 2, b""), (304, 2, b"")],
            "status, revision and body of each",
        )
        server.stop_clean()


def add_arguments(parser):
    parser.add_argument("--readme", required=True, help="the README whose lines are tried")


if __name__ == "__main__":
    main(__doc__, add_arguments)
