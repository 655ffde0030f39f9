"""Pure's rules for C++. They own the flags: a BUILD file names sources and dependencies.

What must hold for abseil and googletest too (the standard, optimisation, hardening, sanitizers)
stands in .bazelrc.
"""

# Accepted by g++ 12 and clang++ 14 alike. A warning is an error, with either of them.
_WARNINGS = [
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wcast-qual",
    "-Wextra-semi",
    "-Wformat=2",
    "-Wnon-virtual-dtor",
    "-Woverloaded-virtual",
    "-Wshadow",
    "-Wsuggest-override",
    "-Wundef",
    "-Wvla",
    # A field that designated initializers leave out has its default, and that is why it has one.
    "-Wno-missing-field-initializers",
    # An implementation of an interface need not use all that it is handed.
    "-Wno-unused-parameter",
] + select({
    # Clang is the judge of thread annotations. Each compiler has its own way to leave out the
    # warnings of abseil's headers, which Bazel presents as if they were ours.
    "//tools:clang": ["-Wthread-safety", "--system-header-prefix=absl/"],
    "//conditions:default": ["-isystem", "external/com_google_absl"],
})

# Interfaces are compiled without run-time types, so what derives from them is too: tests as well.
_OURS = _WARNINGS + ["-fno-rtti"] + select({
    "@platforms//cpu:x86_64": ["-fcf-protection"],
    "//conditions:default": [],
})

_PRODUCT = _OURS + ["-fno-exceptions"]

# Only clang can check that each include has a dependency; g++ passes over the name.
_FEATURES = ["layering_check"]

def pure_library(name, copts = [], **kwargs):
    """A library of ours.

    Args:
      name: the target.
      copts: what only this one needs; say why beside it.
      **kwargs: as for cc_library.
    """
    native.cc_library(name = name, copts = _PRODUCT + copts, features = _FEATURES, **kwargs)

def pure_binary(name, copts = [], **kwargs):
    """A program of ours, with our libraries in it.

    Args:
      name: the target.
      copts: what only this one needs; say why beside it.
      **kwargs: as for cc_binary.
    """
    native.cc_binary(
        name = name,
        copts = _PRODUCT + copts,
        features = _FEATURES,
        linkstatic = True,
        **kwargs
    )

def pure_test(name, deps = [], copts = [], size = "small", **kwargs):
    """A test with googletest and its main.

    Args:
      name: the target.
      deps: what is tested.
      copts: what only this one needs; say why beside it.
      size: as for cc_test.
      **kwargs: as for cc_test.
    """
    native.cc_test(
        name = name,
        size = size,
        copts = _OURS + copts,
        features = _FEATURES,
        deps = deps + [
            "@com_google_googletest//:gtest",
            "@com_google_googletest//:gtest_main",
        ],
        **kwargs
    )

def pure_benchmark(name, deps = [], copts = [], size = "small", tags = [], **kwargs):
    """A program of google/benchmark, and NAME_smoke_test: that each of its benchmarks runs once.

    Args:
      name: the program: `./bazelw run //bench:NAME`.
      deps: what is measured.
      copts: what only this one needs; say why beside it.
      size: of the smoke test.
      tags: of both.
      **kwargs: as for cc_binary.
    """
    native.cc_binary(
        name = name,
        testonly = True,
        copts = _PRODUCT + copts,
        features = _FEATURES,
        linkstatic = True,
        tags = tags,
        deps = deps + [
            "@com_github_google_benchmark//:benchmark",
            "@com_github_google_benchmark//:benchmark_main",
        ],
        **kwargs
    )
    native.sh_test(
        name = name + "_smoke_test",
        size = size,
        srcs = ["//tools:smoke_test.sh"],
        args = ["$(rootpath :%s)" % name],
        data = [":" + name],
        tags = tags,
    )

def pure_fuzz(name, srcs, deps):
    """A libFuzzer entry. NAME_run fuzzes with it (--config=fuzz), NAME_test replays corpus/NAME.

    Args:
      name: the entry, as a library.
      srcs: with LLVMFuzzerTestOneInput.
      deps: what is fuzzed.
    """
    pure_library(name = name, testonly = True, srcs = srcs, deps = deps, alwayslink = True)
    native.cc_binary(
        name = name + "_run",
        testonly = True,
        linkopts = ["-fsanitize=fuzzer"],
        linkstatic = True,
        tags = ["manual"],
        deps = [":" + name],
    )
    pure_test(
        name = name + "_test",
        srcs = ["//tests/testing:fuzz_replay_test.cc"],
        data = native.glob(["corpus/%s/*" % name]),
        local_defines = ["PURE_FUZZ_CORPUS='\"%s/corpus/%s\"'" % (native.package_name(), name)],
        deps = [
            ":" + name,
            "//tests/testing:effort",
            "//tests/testing:ports",
        ],
    )
