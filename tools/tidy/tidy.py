#!/usr/bin/env python3
"""Checks the whole tree against STYLE.md: `tools/tidy/tidy.py [--tighten] [ROOT]`.

ROOT may also be a link to a file in the root of the tree. ratchet.json holds how many findings of a
rule are still there; a rule that is not in it has none. A number may only fall: more findings fail,
and fewer fail too until --tighten has written them down.
"""

import json
import os
import sys
from typing import Dict, Iterator, List

import rules

_ENDINGS = (".bazel", ".bzl", ".cc", ".h", ".html", ".md", ".pure", ".py", ".sh", ".yml", ".BUILD")
_NAMES = (".bazelrc", "WORKSPACE", "bazelw", "run", "format", "compile_commands")
_RATCHET = "tools/tidy/ratchet.json"


def paths(root: str) -> Iterator[str]:
    """The project's own text files, from the root."""
    for folder, folders, files in os.walk(root):
        inside = os.path.relpath(folder, root)
        folders[:] = sorted(
            name for name in folders
            if name in (".ci", ".github")
            or not name.startswith((".", "bazel-")) and name not in ("node_modules", "__pycache__")
        )
        for name in sorted(files):
            path = os.path.normpath(os.path.join(inside, name))
            whole = os.path.join(root, path)
            if name.endswith(_ENDINGS) or name in _NAMES:
                if os.path.isfile(whole) and not os.path.islink(whole):
                    yield path


def findings(root: str) -> Dict[str, List[str]]:
    """Every finding of every rule, as FILE:LINE: TEXT."""
    found: Dict[str, List[str]] = {name: [] for name in rules.RULES}
    found["readme"] = []
    for path in paths(root):
        with open(os.path.join(root, path), encoding="utf-8") as stream:
            file = rules.File(path, stream.read())
        for name, rule in rules.RULES.items():
            found[name] += [f"{path}:{line}: {text}" for line, text in rule(file)]
        folder = os.path.dirname(path)
        if os.path.basename(path) == "BUILD.bazel" and folder:
            if not os.path.isfile(os.path.join(root, folder, "README.md")):
                found["readme"].append(f"{path}:1: the package has no README.md")
    return found


def compare(found: Dict[str, List[str]], ratchet: Dict[str, int]) -> List[str]:
    """What to tell of the findings, given how many are known. Nothing: all is well."""
    out: List[str] = []
    for name in sorted(set(ratchet) - set(found)):
        out.append(f"{_RATCHET}: there is no rule {name}")
    for name, lines in sorted(found.items()):
        known = ratchet.get(name, 0)
        if len(lines) > known:
            out += lines
            out.append(f"{name}: {len(lines)} findings, {known} are known")
        elif len(lines) < known:
            out.append(f"{name}: only {len(lines)} findings left of {known}: run tidy.py --tighten")
    return out


def tighten(found: Dict[str, List[str]], ratchet: Dict[str, int]) -> Dict[str, int]:
    """The ratchet after progress: no number grows, and what is gone is gone."""
    lower = {name: min(known, len(found.get(name, []))) for name, known in ratchet.items()}
    return {name: number for name, number in sorted(lower.items()) if number}


def main(arguments: List[str]) -> int:
    here = os.path.dirname(os.path.abspath(__file__))
    roots = [argument for argument in arguments if not argument.startswith("--")]
    root = roots[0] if roots else os.path.dirname(os.path.dirname(here))
    if os.path.isfile(root):
        root = os.path.dirname(os.path.realpath(root))
    found = findings(root)
    with open(os.path.join(root, _RATCHET), encoding="utf-8") as stream:
        ratchet = json.load(stream)
    if "--tighten" in arguments:
        ratchet = tighten(found, ratchet)
        with open(os.path.join(root, _RATCHET), "w", encoding="utf-8") as stream:
            stream.write(json.dumps(ratchet, indent=2) + "\n")
    problems = compare(found, ratchet)
    print("\n".join(problems or ["tidy"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
