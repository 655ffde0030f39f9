"""The rule sets that Bazel itself or our dependencies load: Debian's packages of them where they are installed, else
the upstream archives.

Debian 12's Bazel 4.2.3 and its bazel-rules-cc 0.0.4 do not quite fit each other, and newer libraries name
constraint values that its platforms 0.0.2 lacks: both are mended here, in the copy that the build sees.
"""

def _copy_or_download(rctx):
    if rctx.execute(["test", "-d", rctx.attr.debian_path]).return_code == 0:
        result = rctx.execute(["cp", "-rL", rctx.attr.debian_path + "/.", "."])
        if result.return_code:
            fail("%s can not be copied: %s" % (rctx.attr.debian_path, result.stderr))
        return True
    if not rctx.attr.url:
        fail("%s is not there: install Debian's package of it" % rctx.attr.debian_path)
    rctx.download_and_extract([rctx.attr.url], sha256 = rctx.attr.sha256, stripPrefix = rctx.attr.strip_prefix)
    return False

def _rewrite(rctx, path, text):
    rctx.delete(path)
    rctx.file(path, text, executable = False)

def _rule_set(rctx):
    _copy_or_download(rctx)
    rctx.file("WORKSPACE", 'workspace(name = "%s")\n' % rctx.name, executable = False)

def _rules_cc(rctx):
    if not _copy_or_download(rctx):
        return

    # use_cpp_toolchain() is of Bazel 5; before that a rule names the type of toolchain itself.
    for name in ["compiler_flag.bzl", "cc_flags_supplier.bzl"]:
        path = "cc/private/rules_impl/" + name
        text = rctx.read(path).replace(', "use_cpp_toolchain")', ")")
        _rewrite(rctx, path, text.replace("use_cpp_toolchain()", '["@bazel_tools//tools/cpp:toolchain_type"]'))

    # Later versions have a file for each rule.
    for rule in ["cc_binary", "cc_import", "cc_library", "cc_test"]:
        rctx.file("cc/%s.bzl" % rule, 'load(":defs.bzl", _cc = "%s")\n\n%s = _cc\n' % (rule, rule), executable = False)

_CONSTRAINTS = {
    "os": ["chromiumos", "emscripten", "fuchsia", "haiku", "netbsd", "openbsd", "uefi", "visionos", "vxworks"],
    "cpu": ["aarch32", "mips64", "ppc32", "ppc64le", "riscv32", "riscv64"],
}

def _platforms(rctx):
    if not _copy_or_download(rctx):
        return
    for package, values in _CONSTRAINTS.items():
        path = package + "/BUILD"
        text = rctx.read(path)
        for value in values:
            if '"%s"' % value not in text:
                text += '\nconstraint_value(name = "%s", constraint_setting = ":%s")\n' % (value, package)
        _rewrite(rctx, path, text)

_ATTRS = {
    "debian_path": attr.string(mandatory = True),
    "url": attr.string(),
    "sha256": attr.string(),
    "strip_prefix": attr.string(),
}

rule_set = repository_rule(implementation = _rule_set, attrs = _ATTRS, local = True)
rules_cc_repository = repository_rule(implementation = _rules_cc, attrs = _ATTRS, local = True)
platforms_repository = repository_rule(implementation = _platforms, attrs = _ATTRS, local = True)
