"""archive: the source of a dependency, from whichever of its pinned places answers first.

The places, in this order:

1. Bazel's repository cache and `--distdir`, for either archive: with these, no network is needed.
2. Upstream.
3. The upstream tarball of Debian's source package, by apt-get with the machine's own mirrors but a
   state of its own, so that nothing on the machine changes. Whichever revision of the package a
   mirror serves, the tarball is the same.
"""

# $1: a suite. Lists its source packages, in the current folder, from each archive that the machine
# uses. Only Debian's key opens the list, so mirrors of Debian stay and archives of others drop out.
_INDEX = """
set -eu
mkdir -p lists/partial cache/archives/partial
key=/usr/share/keyrings/debian-archive-keyring.gpg
apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v entry="deb-src [signed-by=$key]" -v suite="$1" '
        $2 !~ /-/ && $3 == "main" && !seen[$1]++ { print entry, $1, suite, "main" }
    ' > sources.list
grep -q . sources.list || { echo "apt knows no archive"; exit 1; }
apt-get -q -c apt.conf update || ls lists | grep -q _Sources
"""

_APT_CONF = """
Dir::Etc::sourcelist "{here}/sources.list";
Dir::Etc::sourceparts "-";
Dir::State::lists "{here}/lists";
Dir::Cache "{here}/cache";
Acquire::Retries "3";
// The folder belongs to whoever builds; apt's own user may not read it.
APT::Sandbox::User "root";
"""

# $0: the index's configuration, $1: a source package.
_SOURCE = """
mkdir -p apt && cd apt &&
    apt-get -q -c "$0" source --download-only --tar-only --only-source "$1"
"""

def _debian_index(rctx):
    rctx.file("BUILD.bazel", 'exports_files(["apt.conf"])\n', executable = False)
    rctx.file("apt.conf", _APT_CONF.format(here = rctx.path(".")), executable = False)
    result = rctx.execute(["sh", "-c", _INDEX, "index", rctx.attr.suite], timeout = 300)

    # Those who need the index tell of a failure, together with what else they tried.
    error = result.stdout + result.stderr if result.return_code else ""
    rctx.file("error", error, executable = False)

debian_index = repository_rule(
    implementation = _debian_index,
    attrs = {"suite": attr.string(mandatory = True)},
    doc = "The apt state that a suite's archives share, made when the first of them needs it.",
)

def _name(url):
    return url[url.rindex("/") + 1:]

def _fetch(rctx, url, sha256):
    return rctx.download([url], output = _name(url), sha256 = sha256, allow_fail = True).success

def _fetch_cached(rctx, file, sha256):
    # No such file exists: only the caches, which go by its name and sum, can answer.
    return _fetch(rctx, "file:///not/in/the/caches/" + file, sha256)

def _connects(rctx, url):
    """Whether the server takes connections. Bazel needs minutes to give up on a silent firewall."""
    for name in _PROXIES:
        if rctx.os.environ.get(name):
            return True
    probe = "exec 3<>/dev/tcp/%s/443" % url.split("/")[2]
    return rctx.execute(["timeout", "5", "bash", "-c", probe]).return_code == 0

def _fetch_from_debian(rctx, file, sha256):
    """Returns what went wrong, or nothing."""
    conf = rctx.path(Label("@debian_%s//:apt.conf" % rctx.attr.debian_suite))
    error = rctx.read(conf.dirname.get_child("error"))
    if error:
        return error
    result = rctx.execute(["sh", "-c", _SOURCE, str(conf), rctx.attr.debian_package], timeout = 300)
    if result.return_code:
        return result.stdout + result.stderr

    # Once more from the disk: this checks the sum and fills the repository cache.
    if not _fetch(rctx, "file://%s/apt/%s" % (rctx.path("."), file), sha256):
        return "%s is not there, or has another sum than the pinned one" % file
    rctx.delete("apt")
    return ""

def _archive(rctx):
    url = rctx.attr.upstream_url
    upstream = struct(
        file = _name(url),
        prefix = rctx.attr.upstream_prefix,
        sha256 = rctx.attr.upstream_sha256,
    )
    debian = struct(
        file = rctx.attr.debian_file,
        prefix = rctx.attr.debian_prefix,
        sha256 = rctx.attr.debian_sha256,
    )
    if _fetch_cached(rctx, upstream.file, upstream.sha256):
        found = upstream
    elif _fetch_cached(rctx, debian.file, debian.sha256):
        found = debian
    elif _connects(rctx, url) and _fetch(rctx, url, upstream.sha256):
        found = upstream
    else:
        found = debian
        error = _fetch_from_debian(rctx, debian.file, debian.sha256)
        if error:
            message = "%s: %s gave nothing, and Debian's mirrors no %s:\n%s"
            fail(message % (rctx.name, url, debian.file, error))

    rctx.extract(found.file, stripPrefix = found.prefix)
    rctx.delete(found.file)
    for patch in rctx.attr.patches:
        rctx.patch(patch, strip = 1)
    if rctx.attr.build_file:
        rctx.symlink(rctx.attr.build_file, "BUILD.bazel")
    rctx.file("WORKSPACE", 'workspace(name = "%s")\n' % rctx.name, executable = False)

_PROXIES = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"]

_archive_rule = repository_rule(
    implementation = _archive,
    attrs = {
        "build_file": attr.label(doc = "The BUILD file, for a project that has none"),
        "debian_file": attr.string(mandatory = True),
        "debian_package": attr.string(mandatory = True),
        "debian_prefix": attr.string(mandatory = True),
        "debian_sha256": attr.string(mandatory = True),
        "debian_suite": attr.string(mandatory = True),
        "patches": attr.label_list(),
        "upstream_prefix": attr.string(mandatory = True),
        "upstream_sha256": attr.string(mandatory = True),
        "upstream_url": attr.string(mandatory = True),
    },
    environ = _PROXIES,
)

def archive(name, pin, **kwargs):
    """An external repository from a pin of pins.bzl.

    Args:
      name: the repository.
      pin: its entry of PINS.
      **kwargs: build_file and patches (with -p1 paths).
    """
    _archive_rule(
        name = name,
        upstream_url = pin.upstream.url,
        upstream_sha256 = pin.upstream.sha256,
        upstream_prefix = pin.upstream.prefix,
        debian_suite = pin.debian.suite,
        debian_package = pin.debian.package,
        debian_file = pin.debian.file,
        debian_sha256 = pin.debian.sha256,
        debian_prefix = pin.debian.prefix,
        **kwargs
    )
