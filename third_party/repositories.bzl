"""All that the build takes from elsewhere, each pinned, each from two places (docs/decisions/0001-dependencies.md)."""

load("//third_party:bazel_rules.bzl", "platforms_repository", "rule_set", "rules_cc_repository")
load("//third_party:pinned_archive.bzl", "pinned_archive")

def pure_repositories():
    """Declares every external repository."""
    rules_cc_repository(name = "rules_cc", debian_path = "/usr/share/bazel/rules/cc")
    platforms_repository(name = "platforms", debian_path = "/usr/share/bazel/tools/platforms")
    rule_set(name = "bazel_skylib", debian_path = "/usr/share/bazel/tools/skylib")
    rule_set(name = "rules_java", debian_path = "/usr/share/bazel/rules/java")
    rule_set(name = "rules_proto", debian_path = "/usr/share/bazel/rules/proto")
    native.local_repository(name = "remote_coverage_tools", path = "third_party/coverage_tools")

    pinned_archive(
        name = "com_google_absl",
        url = "https://github.com/abseil/abseil-cpp/archive/refs/tags/20240722.0.tar.gz",
        sha256 = "f50e5ac311a81382da7fa75b97310e4b9006474f9560ac46f54a9967f07d4ae3",
        debian_package = "abseil",
        debian_file = "abseil_20240722.0.orig.tar.gz",
        debian_sha256 = "df6d1f5ef540725f3851201176a60486aab332410788465c9877910bb471c34a",
    )
    pinned_archive(
        name = "com_google_googletest",
        url = "https://github.com/google/googletest/archive/refs/tags/v1.16.0.tar.gz",
        sha256 = "78c676fc63881529bf97bf9d45948d905a66833fbfa5318ea2cd7478cb98f399",
        debian_package = "googletest",
        debian_file = "googletest_1.16.0.orig.tar.gz",
        debian_sha256 = "2f54382b5d13d6cd0be2afc524f1e510d37f8ba78c2d439c5bea64ef37e30d01",
    )
    pinned_archive(
        name = "com_github_google_benchmark",
        url = "https://github.com/google/benchmark/archive/refs/tags/v1.9.1.tar.gz",
        sha256 = "32131c08ee31eeff2c8968d7e874f3cb648034377dfc32a4c377fa8796d84981",
        debian_package = "benchmark",
        debian_file = "benchmark_1.9.1.orig.tar.gz",
        debian_sha256 = "32131c08ee31eeff2c8968d7e874f3cb648034377dfc32a4c377fa8796d84981",
        # module_version() is of Bazel 5.
        edits = {"BUILD.bazel": [
            "(module_version() if module_version() != None else \"\")",
            "\"1.9.1\"",
        ]},
    )
    pinned_archive(
        name = "bearssl",
        url = "https://www.bearssl.org/bearssl-0.6.tar.gz",
        sha256 = "6705bba1714961b41a728dfc5debbe348d2966c117649392f8c8139efc83ff14",
        debian_package = "bearssl",
        debian_file = "bearssl_0.6+dfsg.1.orig.tar.xz",
        debian_sha256 = "102a625bd8f6155260867a50c508df8d8c3f796985dd744df1a68e5cd1a79004",
        build_file = "//third_party:bearssl.BUILD",
    )
