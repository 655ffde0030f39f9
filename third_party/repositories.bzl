"""All external repositories: pins.bzl says where each comes from.

docs/decisions/0001-dependencies.md says why it is there.
"""

load(":archive.bzl", "archive", "debian_index")
load(":bazel_rules.bzl", "bazel_rules")
load(":pins.bzl", "PINS")

def pure_repositories():
    """Declares every external repository of the build."""
    bazel_rules()
    debian_index(name = "debian_trixie", suite = "trixie")
    archive(name = "com_google_absl", pin = PINS["com_google_absl"])
    archive(name = "com_google_googletest", pin = PINS["com_google_googletest"])
    archive(
        name = "com_github_google_benchmark",
        patches = ["//third_party:patches/benchmark_version.patch"],
        pin = PINS["com_github_google_benchmark"],
    )
    archive(
        name = "bearssl",
        build_file = "//third_party:bearssl.BUILD",
        pin = PINS["bearssl"],
    )
    archive(
        name = "yyjson",
        build_file = "//third_party:yyjson.BUILD",
        pin = PINS["yyjson"],
    )
