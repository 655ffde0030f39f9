"""Tests that drive the real server from outside, written for the system's python3."""

_OURS = [
    "//modules/examples",
    "//platforms/server:pure",
    "//tests/end_to_end:support",
]

def end_to_end_test(name, args = [], data = [], size = "medium", **kwargs):
    """Runs the package's NAME.py against the pure binary, as it is configured in this build.

    Args:
      name: the script, without its ending.
      args: for the script.
      data: what these name.
      size: as for sh_test.
      **kwargs: as for sh_test.
    """
    script = name + ".py"
    native.sh_test(
        name = name,
        size = size,
        srcs = ["//tests/end_to_end:run.sh"],
        args = [
            "$(location %s)" % script,
            "--server=$(location //platforms/server:pure)",
            "--modules=modules/examples",
        ] + args,
        data = [script] + _OURS + data,
        **kwargs
    )
