"""Tests of who may depend on whom (ARCHITECTURE.md).

They look at the build graph, so that no file is read.
"""

def _query_dependencies(name, targets):
    native.genquery(
        name = name,
        testonly = True,
        expression = "kind('cc_library rule', deps(set({})))".format(" ".join(targets)),
        opts = [
            "--noimplicit_deps",
            "--nohost_deps",
        ],
        scope = targets,
    )

def golden_dependencies_test(name, targets, golden, build_file):
    """The libraries that `targets` need, all the way down, are exactly those in the file `golden`.

    Args:
      name: of the test.
      targets: labels of all libraries of one package.
      golden: a text file, one label a line.
      build_file: that package's BUILD file; each of its libraries has to be among `targets`.
    """
    _query_dependencies(name + "_found", targets)
    native.sh_test(
        name = name,
        size = "small",
        srcs = ["golden_dependencies_test.sh"],
        args = [
            "$(location :{}_found)".format(name),
            "$(location {})".format(golden),
            "$(location {})".format(build_file),
        ],
        data = [
            golden,
            build_file,
            ":{}_found".format(name),
        ],
    )

def forbidden_dependencies_test(name, targets, forbidden):
    """None of `targets` needs, all the way down, a library of `forbidden`, named by label prefix.

    Args:
      name: of the test.
      targets: labels of libraries.
      forbidden: beginnings of labels, as "//store".
    """
    _query_dependencies(name + "_found", targets)
    native.sh_test(
        name = name,
        size = "small",
        srcs = ["forbidden_dependencies_test.sh"],
        args = ["$(location :{}_found)".format(name)] + forbidden,
        data = [":{}_found".format(name)],
    )
