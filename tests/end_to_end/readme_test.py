"""The curl lines of the README do what it says, as they are printed (but for the port)."""

import re
import shutil
import subprocess

from harness import Skip, expect, expect_equal, main, test
from server import Server


@test
def the_five_lines_sign_show_list_and_are_refused(context):
    with open(context.arguments.readme, encoding="utf-8") as file:
        lines = re.findall(r"^ {4}(curl .*)$", file.read(), re.M)
    expect_equal(len(lines), 5, "curl lines in the README")
    if not shutil.which("curl"):
        raise Skip("curl is not installed")
    with Server(context, module="guestbook") as server:
        answers = []
        for line in lines:
            line = line.replace("127.0.0.1:8767", f"127.0.0.1:{server.port}").replace(
                "curl ", "curl -s -m 10 ", 1
            )
            ended = subprocess.run(["sh", "-c", line], capture_output=True, timeout=20, check=True)
            head, _, body = ended.stdout.partition(b"\r\n\r\n")
            answers.append((int(head.split()[1]), head, body))
        expect_equal([answer[0] for answer in answers], [303, 200, 200, 422, 404], "the statuses")
        expect(b"\r\nLocation: /\r\n" in answers[0][1] + b"\r\n", "the first leads back")
        expect(b"<td>Ann</td><td>Hello, &lt;world&gt;!</td>" in answers[1][2], "the page shows it")
        expect_equal(
            answers[2][2], b'[{"id":1,"who":"Ann","said":"Hello, <world>!"}]', "the entries"
        )
        expect_equal(answers[3][2], b'{"error":"type","field":"said"}', "the missing field")
        expect(b"\r\nX-Pure-Fault: unknown\r\n" in answers[4][1] + b"\r\n", "the fault")
        server.stop_clean()


def add_arguments(parser):
    parser.add_argument("--readme", required=True, help="the README whose lines are tried")


if __name__ == "__main__":
    main(__doc__, add_arguments)
