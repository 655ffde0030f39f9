"""The files of a store, for tests that compare or damage them."""

import hashlib
import os
import time


def snapshot(directory):
    """Every file's name, mode and content."""
    found = {}
    for name in sorted(os.listdir(directory)):
        path = os.path.join(directory, name)
        with open(path, "rb") as file:
            found[name] = (os.stat(path).st_mode, hashlib.sha256(file.read()).hexdigest())
    return found


def wait_until_quiet(directory):
    """What a running server's store holds once it has proved its last save: see docs/durability.md."""
    before = snapshot(directory)
    for _ in range(50):
        time.sleep(0.4)
        after = snapshot(directory)
        if after == before:
            return after
        before = after
    raise AssertionError("the store does not fall quiet")


def segments(directory):
    """Paths of the segment files, oldest first."""
    return [
        os.path.join(directory, name)
        for name in sorted(os.listdir(directory))
        if name.startswith("seg-")
    ]


def find(directory, needle):
    """(path, offset) of each place that holds these bytes."""
    places = []
    for path in segments(directory):
        with open(path, "rb") as file:
            data = file.read()
        at = data.find(needle)
        while at >= 0:
            places.append((path, at))
            at = data.find(needle, at + 1)
    return places


def flip(path, offset, bit=0):
    """Changes one bit."""
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ 1 << bit]))
