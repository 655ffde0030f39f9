"""What all end-to-end tests share: tests as functions, expectations, and the program's arguments.

A test is a function with @test; its name is a sentence. It fails by an exception, and is left out
by Skip with a reason. The last line of a run is `N passed, N failed`.
"""

import argparse
import os
import resource
import shutil
import sys
import tempfile
import time
import traceback


class Failure(Exception):
    """An expectation that does not hold."""


class Skip(Exception):
    """Why a test can not run here."""


class Context:
    """Where things are, and a directory for each test."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.pure = os.path.abspath(arguments.server)
        self.modules = os.path.abspath(arguments.modules)
        self.name = None  # of the running test
        self.directory = None  # its own, on a real disk

    def module(self, name="objects"):
        return os.path.join(self.modules, name + ".pure")

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, text, mode=0o600):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path


_tests = []


def test(function):
    _tests.append(function)
    return function


def expect(condition, what):
    if not condition:
        raise Failure(what)


def expect_equal(found, expected, what=""):
    if found != expected:
        raise Failure(f"{what}: found {shorten(found)}, expected {shorten(expected)}")


def shorten(value):
    text = repr(value)
    return text if len(text) < 400 else f"{text[:300]}... ({len(text)} characters)"


def wait_until(condition, seconds, what):
    """Waits for the condition; gives what it gave."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= end:
            raise Failure(f"not within {seconds} s: {what}")
        time.sleep(0.01)


def effort():
    """How many times as much as a normal run, where a proof has no end (tests/testing/effort.h)."""
    return int(os.environ.get("PURE_TEST_EFFORT", "1"))


def say(text):
    print(f"    {text}", flush=True)


def raise_descriptor_limit(wanted):
    """As many descriptors as are wanted, or as the system allows; gives that number."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= wanted:
        return soft
    if hard < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, wanted))
            return wanted
        except (ValueError, OSError):
            pass
    limit = min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    return limit


def _run_one(context, function):
    name = function.__name__.replace("_", " ")
    context.name = function.__name__
    context.directory = tempfile.mkdtemp(prefix="e2e-", dir=os.environ.get("TEST_TMPDIR"))
    begun = time.monotonic()
    failed = False
    try:
        function(context)
        print(f"passed: {name} ({time.monotonic() - begun:.1f} s)", flush=True)
    except Skip as reason:
        print(f"skipped: {name}: {reason}", flush=True)
        return "skipped"
    except Failure as failure:
        failed = True
        print(f"FAILED: {name}: {failure}", flush=True)
    except Exception:  # a test that can not go on has failed
        failed = True
        print(f"FAILED: {name}:\n{traceback.format_exc()}", flush=True)
    finally:
        if failed and context.arguments.keep:
            print(f"    kept: {context.directory}", flush=True)
        else:
            shutil.rmtree(context.directory, ignore_errors=True)
    return "failed" if failed else "passed"


def main(description, add_arguments=None):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--server", required=True, help="the pure binary")
    parser.add_argument("--modules", required=True, help="directory of the example modules")
    parser.add_argument("--only", default="", help="run the tests whose name holds this")
    parser.add_argument(
        "--keep", action="store_true", help="keep the directory of a test that failed"
    )
    if add_arguments:
        add_arguments(parser)
    context = Context(parser.parse_args())
    results = {"passed": 0, "failed": 0, "skipped": 0}
    for function in _tests:
        if context.arguments.only.replace(" ", "_") in function.__name__:
            results[_run_one(context, function)] += 1
    if results["skipped"]:
        print(f"{results['skipped']} skipped, each with its reason above")
    print(f"{results['passed']} passed, {results['failed']} failed", flush=True)
    # Nothing run is a mistake in the names, but all skipped is an answer.
    sys.exit(1 if results["failed"] or not any(results.values()) else 0)
