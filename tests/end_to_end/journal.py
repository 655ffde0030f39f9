"""What clients asked of a server and what they were told, kept outside its store.

A value names its key, revision and writer, and carries a checksum over all of it, so that a byte
that is not what was sent shows. What a read showed counts as much as what a write was told: it has
to survive too.
"""

import hashlib
import threading

from harness import expect, expect_equal

HEAD = b"%-48s %12d %-16s %64s\n"
HEAD_BYTES = 48 + 1 + 12 + 1 + 16 + 1 + 64 + 1


def make_value(key, revision, writer, filler):
    digest = hashlib.sha256(f"{key} {revision} {writer} ".encode() + filler).hexdigest()
    return HEAD % (key.encode(), revision, writer.encode(), digest.encode()) + filler


def read_value(value):
    """(key, revision, writer) of a sound value; else an expectation fails."""
    expect(len(value) >= HEAD_BYTES, f"a value of {len(value)} bytes is none of ours")
    fields = value[:HEAD_BYTES].decode(errors="replace").split()
    expect_equal(len(fields), 4, "fields of a value's head")
    key, revision, writer, digest = fields
    found = hashlib.sha256(f"{key} {revision} {writer} ".encode() + value[HEAD_BYTES:]).hexdigest()
    expect_equal(found, digest, f"checksum of the value of {key} at revision {revision}")
    return key, int(revision), writer


class Journal:
    def __init__(self, path):
        self._lock = threading.Lock()
        self._file = open(path, "a", encoding="ascii", buffering=1)
        self._attempts = {}  # key: {revision: {digest}}
        self._shown = {}  # key: {revision: digest}
        self.acknowledged = 0
        self.read = 0

    def close(self):
        self._file.close()

    def attempt(self, key, revision, value):
        """Before a write is sent."""
        digest = hashlib.sha256(value).hexdigest()
        with self._lock:
            self._file.write(f"attempt {key} {revision} {digest}\n")
            self._attempts.setdefault(key, {}).setdefault(revision, set()).add(digest)

    def refuse(self, key, revision, value):
        """A write was answered as known not applied: a read that shows it from now on is wrong."""
        digest = hashlib.sha256(value).hexdigest()
        with self._lock:
            self._file.write(f"refused {key} {revision} {digest}\n")
            self._attempts[key][revision].discard(digest)

    def acknowledge(self, key, revision, value):
        """A write was answered 200."""
        digest = hashlib.sha256(value).hexdigest()
        with self._lock:
            self._file.write(f"acknowledged {key} {revision} {digest}\n")
            self.acknowledged += 1
            self._show(key, revision, digest)

    def show(self, key, revision, value, floor=0):
        """A read was answered: with what was sent once, and not older than when it was asked."""
        found_key, found_revision, _ = read_value(value)
        expect_equal(
            (found_key, found_revision),
            (key, revision),
            "key and revision inside the value, and its ETag",
        )
        digest = hashlib.sha256(value).hexdigest()
        with self._lock:
            self._file.write(f"shown {key} {revision} {digest}\n")
            self.read += 1
            expect(
                digest in self._attempts.get(key, {}).get(revision, ()),
                f"{key} shows revision {revision} with bytes that nobody sent",
            )
            expect(revision >= floor, f"{key} went down from revision {floor} to {revision}")
            self._show(key, revision, digest)

    def floor(self, key):
        """The newest revision that somebody was shown; a later read must not show an older one."""
        with self._lock:
            return max(self._shown.get(key, {0: ""}))

    def keys(self):
        with self._lock:
            return sorted(self._attempts)

    def _show(self, key, revision, digest):
        shown = self._shown.setdefault(key, {})
        expect_equal(
            shown.setdefault(revision, digest),
            digest,
            f"{key} has two values at revision {revision}",
        )
