"""A disk whose write-back fails for real: a file system on a loop device over a sparse file.

The file lies on a small tmpfs. Blocks that hold zeros are taken out of it, and what the tmpfs has
left is filled: a write into space that the file system has long given away then finds no room
underneath, in the write-back, and the sync that waits for it fails. A store that zeroes its files
before it uses them does not notice before. What the disk held stays as it is.
"""

import os
import shutil
import subprocess

from harness import Failure, Skip, wait_until

ROOM_BYTES = 96 << 20
IMAGE_BYTES = 400 << 20
DETACH_SECONDS = 20
# Without discarding, since the sparse file would give space back by itself.
_MKFS = {
    "ext4": ["-q", "-F", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard"],
    "xfs": ["-q", "-K"],
    "btrfs": ["-q", "-K"],
}
# Btrfs does not always mount again when writes to its log tree failed, so it does without one.
_MOUNT = {"ext4": "loop,nodiscard", "xfs": "loop,nodiscard", "btrfs": "loop,nodiscard,notreelog"}


class DiskLost(Failure):
    """The file system lost itself and does not mount any more; nothing can be said of what it held."""


def _run(*command):
    ended = subprocess.run(command, capture_output=True, check=False, text=True)
    if ended.returncode:
        raise Failure(f"{' '.join(command)}: {ended.stderr.strip()}")


class FailingDisk:
    """Use it in a `with`, in a mount namespace. `path` is where the file system is."""

    def __init__(self, context, kind, number):
        self._kind = kind
        self._room = context.path(f"room{number}")
        self._image = os.path.join(self._room, "image")
        self._fill = os.path.join(self._room, "fill")
        self.path = context.path(f"disk{number}")

    def __enter__(self):
        mkfs = f"mkfs.{self._kind}"
        for tool in (mkfs, "fallocate", "fsfreeze", "losetup"):
            if not shutil.which(tool):
                raise Skip(f"there is no {tool} here")
        os.mkdir(self._room)
        os.mkdir(self.path)
        _run("mount", "-t", "tmpfs", "-o", f"size={ROOM_BYTES}", "none", self._room)
        try:
            with open(self._image, "wb") as file:
                file.truncate(IMAGE_BYTES)
            _run(mkfs, *_MKFS[self._kind], self._image)
            self._mount_or_skip()
        except BaseException:
            _run("umount", self._room)
            raise
        return self

    def __exit__(self, kind, value, trace):
        for path in (self.path, self._room):
            subprocess.run(["umount", "--lazy", path], check=False, capture_output=True)

    def _mount_or_skip(self):
        try:
            self._mount()
        except Failure as failure:
            raise Skip(f"a loop device can not be had: {failure}") from None

    def _mount(self):
        # The loop device goes with the mount.
        _run("mount", "-o", _MOUNT[self._kind], self._image, self.path)

    def starve(self):
        """From now on the disk can only write over what is not zero."""
        # It tells of the last failure, if nobody has been told of that yet.
        subprocess.run(["sync", "--file-system", self.path], check=False, capture_output=True)
        # A block that is written between the look at it and its hole would be lost without an error.
        _run("fsfreeze", "--freeze", self.path)
        try:
            _run("fallocate", "--dig-holes", self._image)
        finally:
            _run("fsfreeze", "--unfreeze", self.path)
        chunk = bytes(1 << 20)
        with open(self._fill, "wb", buffering=0) as file:
            while True:
                try:
                    file.write(chunk)
                except OSError:
                    if len(chunk) == 1:
                        return
                    chunk = chunk[: len(chunk) // 2]

    def heal(self):
        os.remove(self._fill)

    def mount_anew(self):
        """What comes from it afterwards comes from the disk."""
        _run("umount", self.path)
        # The device goes when the last of it is closed, which may be after that. A mount would take
        # it while it is there, and find nothing on it.
        wait_until(lambda: not self._devices(), DETACH_SECONDS, "the loop device is detached")
        try:
            self._mount()
        except Failure as failure:
            raise DiskLost(str(failure)) from None

    def _devices(self):
        command = ["losetup", "--noheadings", "--output", "NAME", "--associated", self._image]
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()

    def drop_caches(self, folder):
        """So with the files of one folder, but the file system stays as it is."""
        for name in os.listdir(folder):
            descriptor = os.open(os.path.join(folder, name), os.O_RDONLY)
            try:
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(descriptor)

    def refuses_writes(self):
        """Whether the file system has given up, which only mounting it anew ends."""
        try:
            with open(os.path.join(self.path, "probe"), "wb") as file:
                file.write(b"probe")
                file.flush()
                os.fsync(file.fileno())
            return False
        except OSError:
            return True
