"""The rule sets that Bazel and our dependencies load.

Debian packages them beside its Bazel; any other Bazel gets the upstream archives. Debian 12's Bazel
4.2.3, its rules_cc 0.0.4 and its platforms 0.0.2 come from three different years; the copies that a
build sees are made to fit here.
"""

load("@bazel_tools//tools/build_defs/repo:http.bzl", "http_archive")
load(":pins.bzl", "RULE_SETS")

_DEBIAN = "/usr/share/bazel/"

def _edit(rctx, path, edits):
    text = rctx.read(path)
    for old, new in edits:
        text = text.replace(old, new)
    rctx.delete(path)
    rctx.file(path, text, executable = False)

def _mend_rules_cc(rctx):
    # use_cpp_toolchain() came with Bazel 5; before that, a rule names the toolchain type.
    for name in ["cc_flags_supplier", "compiler_flag"]:
        _edit(rctx, "cc/private/rules_impl/%s.bzl" % name, [
            (', "use_cpp_toolchain")', ")"),
            ("use_cpp_toolchain()", '["@bazel_tools//tools/cpp:toolchain_type"]'),
        ])

def _mend_platforms(rctx):
    # googletest asks for this one; 0.0.2 has never heard of it.
    if '"fuchsia"' not in rctx.read("os/BUILD"):
        _edit(rctx, "os/BUILD", [(
            'constraint_setting(name = "os")',
            'constraint_setting(name = "os")\n\n' +
            'constraint_value(name = "fuchsia", constraint_setting = ":os")',
        )])

_MENDS = {
    "platforms": _mend_platforms,
    "rules_cc": _mend_rules_cc,
}

def _debian_rules(rctx):
    folder = _DEBIAN + rctx.attr.folder
    result = rctx.execute(["cp", "-rL", folder + "/.", "."])
    if result.return_code:
        fail("./bazelw installs Debian's package of what is missing: " + result.stderr)
    mend = _MENDS.get(rctx.name)
    if mend:
        mend(rctx)

# local: the packages may be updated, and copying them takes no time.
_debian_rules_rule = repository_rule(
    implementation = _debian_rules,
    attrs = {"folder": attr.string(mandatory = True)},
    local = True,
)

def _no_coverage_tools(rctx):
    rctx.file("none.sh", "#!/bin/sh\necho 'coverage is not set up' >&2\nexit 1\n")
    rctx.file("BUILD.bazel", """
package(default_visibility = ["//visibility:public"])

sh_binary(name = "coverage_report_generator", srcs = ["none.sh"])

sh_binary(name = "lcov_merger", srcs = ["none.sh"])
""", executable = False)

_no_coverage_tools_rule = repository_rule(
    implementation = _no_coverage_tools,
    doc = "What Bazel 4 would download for each test, though only `bazel coverage` runs it.",
)

def bazel_rules():
    """Declares the rule sets."""

    # Debian's 4.2.3 is the one that reports no version; others bring Java and protobuf rules along.
    if native.bazel_version:
        for name, pin in RULE_SETS.items():
            http_archive(name = name, url = pin.url, sha256 = pin.sha256, strip_prefix = pin.prefix)
        return
    for name, folder in [
        ("bazel_skylib", "tools/skylib"),
        ("platforms", "tools/platforms"),
        ("rules_cc", "rules/cc"),
        ("rules_java", "rules/java"),
        ("rules_proto", "rules/proto"),
    ]:
        _debian_rules_rule(name = name, folder = folder)
    _no_coverage_tools_rule(name = "remote_coverage_tools")
