"""pinned_archive: a dependency's source, from one of two places that are both pinned by their sum.

The order: Bazel's repository cache and --distdir (so a build with filled caches needs no network), the upstream
archive, and the upstream tarball that Debian keeps with its source package, fetched by apt's own client with the machine's
own list of sources. Nothing on the machine is changed: apt gets a state of its own.
"""

# Downloads one source package's upstream tarball: $1 suite, $2 package, $3 file. Which Debian revision of it
# is served does not matter: the tarball is upstream's, and its sum is pinned.
_APT = """
set -eu
here=$PWD/apt
mkdir -p "$here/lists/partial" "$here/cache/archives/partial" "$here/src"
if ls /etc/apt/sources.list.d/*.sources >/dev/null 2>&1; then
    uri=$(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/*.sources | head -n 1 | cut -d' ' -f1)
else
    uri=$(sed -n 's/^deb *\\(\\[[^]]*\\] *\\)\\{0,1\\}\\([^ ]*\\) .*/\\2/p' /etc/apt/sources.list | head -n 1)
fi
printf 'deb-src %s %s main\\n' "$uri" "$1" > "$here/sources.list"
apt() {
    apt-get -q -oDir::Etc::sourcelist="$here/sources.list" -oDir::Etc::sourceparts=- \\
        -oDir::State::lists="$here/lists" -oDir::Cache="$here/cache" -oAPT::Sandbox::User=root "$@"
}
apt update
cd "$here/src"
apt source --download-only --tar-only --only-source "$2"
test -f "$3"
"""

def _download(rctx, url, sha256):
    name = url[url.rindex("/") + 1:]
    result = rctx.download([url], output = name, sha256 = sha256, allow_fail = True)
    return name if result.success else None

def _from_cache(rctx, file, sha256):
    # No such file is there: only the caches, which go by the sum, can answer.
    return _download(rctx, "file:///nonexistent/" + file, sha256)

def _from_debian(rctx):
    result = rctx.execute(
        ["sh", "-c", _APT, "apt", rctx.attr.debian_suite, rctx.attr.debian_package, rctx.attr.debian_file],
        timeout = 600,
    )
    if result.return_code:
        fail("%s: neither %s nor Debian's source package could be fetched:\n%s%s" %
             (rctx.name, rctx.attr.url, result.stdout, result.stderr))
    path = "file://%s/apt/src/%s" % (rctx.path("."), rctx.attr.debian_file)
    name = _download(rctx, path, rctx.attr.debian_sha256)
    if not name:
        fail("%s: %s has another sum than the one that is pinned" % (rctx.name, rctx.attr.debian_file))
    rctx.delete("apt")
    return name

def _pinned_archive(rctx):
    upstream = rctx.attr.url[rctx.attr.url.rindex("/") + 1:]
    name = _from_cache(rctx, upstream, rctx.attr.sha256) or \
           _from_cache(rctx, rctx.attr.debian_file, rctx.attr.debian_sha256) or \
           _download(rctx, rctx.attr.url, rctx.attr.sha256) or \
           _from_debian(rctx)
    rctx.extract(name)
    rctx.delete(name)

    # Both archives hold one folder, each with a name of its own.
    result = rctx.execute(["sh", "-c", "set -e; d=$(ls -d */); set -- $d; test $# = 1; mv $d/* .; rm -r $d"])
    if result.return_code:
        fail("%s: %s does not hold one folder\n%s" % (rctx.name, name, result.stderr))
    if rctx.attr.build_file:
        rctx.delete("BUILD.bazel")
        rctx.symlink(rctx.attr.build_file, "BUILD.bazel")
    for file, edit in rctx.attr.edits.items():
        text = rctx.read(file)
        if edit[0] not in text:
            fail("%s: %s has changed: %s is not in it" % (rctx.name, file, edit[0]))
        rctx.file(file, text.replace(edit[0], edit[1]), executable = False)
    rctx.file("WORKSPACE", "", executable = False)

pinned_archive = repository_rule(
    implementation = _pinned_archive,
    attrs = {
        "url": attr.string(mandatory = True),
        "sha256": attr.string(mandatory = True),
        "debian_package": attr.string(mandatory = True),
        "debian_suite": attr.string(default = "trixie"),
        "debian_file": attr.string(mandatory = True),
        "debian_sha256": attr.string(mandatory = True),
        "build_file": attr.label(),
        "edits": attr.string_list_dict(doc = "file: [old text, new text]"),
    },
)
