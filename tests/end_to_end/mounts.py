"""A mount namespace of the test's own: what is mounted in it goes when its last process ends."""

import os
import shutil
import subprocess
import sys

from harness import Skip

_IN_NAMESPACE = "PURE_TEST_IN_MOUNT_NAMESPACE"


def enter_mount_namespace():
    """Runs this script anew where it may mount; comes back where that can not be done."""
    if os.environ.get(_IN_NAMESPACE):
        return
    ways = (["unshare", "--mount"], ["unshare", "--map-root-user", "--mount"])
    for way in ways:
        if not shutil.which(way[0]):
            continue
        probe = "d=$(mktemp -d) && mount -t tmpfs -o size=1m none $d && umount $d && rmdir $d"
        if (
            subprocess.run([*way, "sh", "-c", probe], capture_output=True, check=False).returncode
            == 0
        ):
            os.environ[_IN_NAMESPACE] = "1"
            os.execvp(way[0], [*way, sys.executable, *sys.argv])


def require_mounts():
    """Leaves the test out where there is no such namespace."""
    if not os.environ.get(_IN_NAMESPACE):
        raise Skip("mounting is not allowed here")
