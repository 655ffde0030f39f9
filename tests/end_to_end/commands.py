"""The commands of `pure` that end by themselves."""

import os
import re
import subprocess

from harness import expect, expect_equal


def environment():
    """Without what makes paths relative to somewhere else."""
    names = ("BUILD_WORKING_DIRECTORY", "LISTEN_FDS", "LISTEN_PID")
    return {name: value for name, value in os.environ.items() if name not in names}


def run(context, *arguments, seconds=30, cwd=None, stdin=b""):
    """A command of `pure` that ends by itself."""
    return subprocess.run(
        [context.pure, *arguments],
        input=stdin,
        capture_output=True,
        timeout=seconds,
        check=False,
        env=environment(),
        cwd=cwd or context.directory,
    )


def expect_run(context, *arguments, status, stdout=None, stderr=None, **options):
    """`stdout` and `stderr`: an exact text, a pattern to find, or None for anything."""
    ended = run(context, *arguments, **options)
    what = "pure " + " ".join(arguments)
    expect_equal(ended.returncode, status, f"exit status of {what}; stderr {ended.stderr!r}")
    for name, wanted, found in (("stdout", stdout, ended.stdout), ("stderr", stderr, ended.stderr)):
        text = found.decode()
        if isinstance(wanted, re.Pattern):
            expect(wanted.search(text), f"{name} of {what} has no {wanted.pattern!r}: {text!r}")
        elif wanted is not None:
            expect_equal(text, wanted, f"{name} of {what}")
    return ended.stdout.decode()
