"""Every foreign archive of the build, and where its bytes come from.

`upstream` is what the project publishes; `debian` is the same release as Debian's stable keeps it:
the suite, the source package, its upstream tarball. `prefix` is the folder in the archive. Where
the sums differ, the two are packed differently; either one builds.
"""

PINS = {
    "com_google_absl": struct(
        upstream = struct(
            url = "https://github.com/abseil/abseil-cpp/archive/refs/tags/20240722.0.tar.gz",
            sha256 = "f50e5ac311a81382da7fa75b97310e4b9006474f9560ac46f54a9967f07d4ae3",
            prefix = "abseil-cpp-20240722.0",
        ),
        debian = struct(
            suite = "trixie",
            package = "abseil",
            file = "abseil_20240722.0.orig.tar.gz",
            sha256 = "df6d1f5ef540725f3851201176a60486aab332410788465c9877910bb471c34a",
            prefix = "abseil-20240722.0",
        ),
    ),
    "com_google_googletest": struct(
        upstream = struct(
            url = "https://github.com/google/googletest/archive/refs/tags/v1.16.0.tar.gz",
            sha256 = "78c676fc63881529bf97bf9d45948d905a66833fbfa5318ea2cd7478cb98f399",
            prefix = "googletest-1.16.0",
        ),
        debian = struct(
            suite = "trixie",
            package = "googletest",
            file = "googletest_1.16.0.orig.tar.gz",
            sha256 = "2f54382b5d13d6cd0be2afc524f1e510d37f8ba78c2d439c5bea64ef37e30d01",
            prefix = "googletest-1.16.0",
        ),
    ),
    "com_github_google_benchmark": struct(
        upstream = struct(
            url = "https://github.com/google/benchmark/archive/refs/tags/v1.9.1.tar.gz",
            sha256 = "32131c08ee31eeff2c8968d7e874f3cb648034377dfc32a4c377fa8796d84981",
            prefix = "benchmark-1.9.1",
        ),
        debian = struct(
            suite = "trixie",
            package = "benchmark",
            file = "benchmark_1.9.1.orig.tar.gz",
            sha256 = "32131c08ee31eeff2c8968d7e874f3cb648034377dfc32a4c377fa8796d84981",
            prefix = "benchmark-1.9.1",
        ),
    ),
    "bearssl": struct(
        upstream = struct(
            url = "https://www.bearssl.org/bearssl-0.6.tar.gz",
            sha256 = "6705bba1714961b41a728dfc5debbe348d2966c117649392f8c8139efc83ff14",
            prefix = "bearssl-0.6",
        ),
        # Without the RFC texts that upstream's archive carries, hence another sum.
        debian = struct(
            suite = "trixie",
            package = "bearssl",
            file = "bearssl_0.6+dfsg.1.orig.tar.xz",
            sha256 = "102a625bd8f6155260867a50c508df8d8c3f796985dd744df1a68e5cd1a79004",
            prefix = "bearssl-0.6",
        ),
    ),
    "yyjson": struct(
        upstream = struct(
            url = "https://github.com/ibireme/yyjson/archive/refs/tags/0.10.0.tar.gz",
            sha256 = "0d901cb2c45c5586e3f3a4245e58c2252d6b24bf4b402723f6179523d389b165",
            prefix = "yyjson-0.10.0",
        ),
        # Without the sources of its documentation, hence another sum.
        debian = struct(
            suite = "trixie",
            package = "yyjson",
            file = "yyjson_0.10.0+ds.orig.tar.xz",
            sha256 = "ae6fde69a193e10afab426ef13f113d6903446405f9db9ee98bfb572bd6c961a",
            prefix = "ibireme-yyjson-a963bbe",
        ),
    ),
}

# Bazel's own rule sets, for a Bazel that did not come from Debian (which packages them beside it).
RULE_SETS = {
    "bazel_skylib": struct(
        url = "https://github.com/bazelbuild/bazel-skylib/releases/download/1.3.0/bazel-skylib-1.3.0.tar.gz",
        sha256 = "74d544d96f4a5bb630d465ca8bbcfe231e3594e5aae57e1edbf17a6eb3ca2506",
        prefix = "",
    ),
    "platforms": struct(
        url = "https://github.com/bazelbuild/platforms/releases/download/0.0.10/platforms-0.0.10.tar.gz",
        sha256 = "218efe8ee736d26a3572663b374a253c012b716d8af0c07e842e82f238a0a7ee",
        prefix = "",
    ),
    "rules_cc": struct(
        url = "https://github.com/bazelbuild/rules_cc/releases/download/0.0.4/rules_cc-0.0.4.tar.gz",
        sha256 = "af6cc82d87db94585bceeda2561cb8a9d55ad435318ccb4ddfee18a43580fb5d",
        prefix = "rules_cc-0.0.4",
    ),
}
