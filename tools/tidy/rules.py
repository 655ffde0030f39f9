"""What tidy asks of a file. Each rule takes a File and yields what is wrong, as (line, text)."""

import ast
import re
from typing import Callable, Dict, Iterator, NamedTuple, Tuple

import cpp

Finding = Tuple[int, str]

FUNCTION_LINES = 70
FILE_LINES = 400
FILE_LINES_MOST = 800
HEADER_LINES = 250
COLUMNS = 100
README_LINES = 30

# What a quoted include may begin with: our folders, and the names by which libraries are included.
_ROOTS = (
    r"(bench|executor|modules|platforms|runtime|store|tests|transport"
    r"|absl|benchmark|gmock|gtest)/|bearssl_hash\.h$|yyjson\.h$"
)

# What asks the operating system: for code that must run as well in the simulator.
_OS = (
    r"(sys|linux|net|netinet|arpa)/"
    r"|(unistd|fcntl|poll|dirent|signal|pthread|netdb|time|errno)\.h$"
)
_STANDARD_OS = (
    r"(thread|mutex|shared_mutex|condition_variable|future|chrono|iostream|fstream|ctime)$"
)

# Folder: (system headers it must not include, project headers it may). The longest folder counts.
_LAYERS: Dict[str, Tuple[str, str]] = {
    "runtime": (f"{_OS}|{_STANDARD_OS}|cerrno$|csignal$", r"runtime/|absl/(base|types)/"),
    "store": (f"{_OS}|{_STANDARD_OS}", r"(runtime|store)/(?!posix/)|absl/"),
    "store/posix": ("", r"runtime/|store/(?!simulated/)|absl/"),
    "store/simulated": (f"{_OS}|{_STANDARD_OS}", r"runtime/|store/(?!posix/)|absl/"),
    "modules": (f"{_OS}|{_STANDARD_OS}", r"runtime/|store/store\.h|modules/|absl/"),
    "executor": (f"{_OS}|{_STANDARD_OS}", r"runtime/|store/store\.h|modules/|executor/|absl/"),
    "transport": (
        f"{_OS}|{_STANDARD_OS}",
        r"runtime/|executor/|modules/(app|error_page|module)\.h|transport/(?!epoll/|io_uring/)|absl/",
    ),
    "transport/http1": (f"{_OS}|{_STANDARD_OS}", r"runtime/|transport/(http1/|transport\.h)|absl/"),
    "transport/epoll": ("", r"runtime/|transport/(epoll/|[a-z_]+\.h)|platforms/linux/|absl/"),
    "transport/io_uring": ("", r"runtime/|transport/(io_uring/|[a-z_]+\.h)|platforms/linux/|absl/"),
    "platforms/linux": ("", r"runtime/|platforms/linux/|absl/"),
}
# The store's one thread, the only one below platforms/ but for what a test starts.
_BACKGROUND = ("store/background.h", "store/background.cc")
_NOT_FOR_A_TRANSPORT = r"transport/(shard|connection\w*|router|live)\.h"


class File(NamedTuple):
    """A file of the tree: its path from the root, and its text."""

    path: str
    text: str

    @property
    def lines(self):
        return self.text.splitlines()

    def ends(self, *endings: str) -> bool:
        return self.path.endswith(endings)

    @property
    def is_code(self) -> bool:
        return self.ends(".cc", ".h")

    @property
    def is_test(self) -> bool:
        return self.ends("_test.cc", "_bench.cc", "_fuzz.cc") or bool(
            re.search(r"/(fuzz|testing)/", self.path)
        )


def columns(file: File) -> Iterator[Finding]:
    if file.ends(".cc", ".h", ".bzl"):
        for number, line in enumerate(file.lines, 1):
            # An address has no place to break.
            if len(line) > COLUMNS and "://" not in line:
                yield number, f"{len(line)} columns"


def function_length(file: File) -> Iterator[Finding]:
    if file.is_code:
        for function in cpp.functions(file.text):
            if function.length > FUNCTION_LINES:
                yield function.line, f"a function of {function.length} lines: {function.head[:60]}"
    elif file.ends(".py"):
        for node in ast.walk(ast.parse(file.text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                length = node.end_lineno - node.lineno + 1
                if length > FUNCTION_LINES:
                    yield node.lineno, f"a function of {length} lines: {node.name}"


def file_length(file: File) -> Iterator[Finding]:
    if (file.is_code or file.ends(".py")) and len(file.lines) > FILE_LINES:
        yield len(file.lines), f"{len(file.lines)} lines; {FILE_LINES} are enough for one idea"


def file_length_most(file: File) -> Iterator[Finding]:
    if (file.is_code or file.ends(".py")) and len(file.lines) > FILE_LINES_MOST:
        yield len(file.lines), f"{len(file.lines)} lines; {FILE_LINES_MOST} are the most"


def header_length(file: File) -> Iterator[Finding]:
    if file.ends(".h") and len(file.lines) > HEADER_LINES:
        yield len(file.lines), f"{len(file.lines)} lines; a header is a manual, not a book"


def pragma_once(file: File) -> Iterator[Finding]:
    if file.ends(".h"):
        code = [line for line in cpp.blank(file.text).splitlines() if line.strip()]
        if not code or code[0].strip() != "#pragma once":
            yield 1, "does not begin with #pragma once"


def _includes(file: File) -> Iterator[Tuple[int, str, str]]:
    if not file.is_code:
        return
    # A literal is blank in the code, so that the code says only which lines are no comment.
    code = cpp.blank(file.text).splitlines()
    for number, line in enumerate(file.lines, 1):
        match = re.match(r'\s*#\s*include\s+(["<])([^">]+)[">]', line)
        if match and code[number - 1].strip():
            yield number, match.group(1), match.group(2)


def include_from_root(file: File) -> Iterator[Finding]:
    for number, mark, path in _includes(file):
        if mark == '"' and not re.match(_ROOTS, path):
            yield number, f'"{path}" does not begin at the root of the tree'


def _layer(path: str) -> str:
    folder = path.rpartition("/")[0]
    while folder and folder not in _LAYERS:
        folder = folder.rpartition("/")[0]
    return folder


def include_layer(file: File) -> Iterator[Finding]:
    layer = _layer(file.path)
    if not layer or file.is_test:
        return
    system, project = _LAYERS[layer]
    for number, mark, path in _includes(file):
        if path == "thread" and file.path in _BACKGROUND:
            continue
        if mark == "<" and system and re.match(system, path):
            yield number, f"<{path}> must not be known in {layer}/"
        elif mark == '"' and (
            not re.match(project, path)
            or (layer in ("transport/epoll", "transport/io_uring")
                and re.match(_NOT_FOR_A_TRANSPORT, path))
        ):
            yield number, f'"{path}" must not be known in {layer}/'


# A platform, or another way to wait for the kernel, is another folder there.
_UNCONDITIONAL = ("executor/", "modules/", "runtime/", "transport/")


def unconditional(file: File) -> Iterator[Finding]:
    if file.is_code and file.path.startswith(_UNCONDITIONAL):
        for number, line in enumerate(cpp.blank(file.text).splitlines(), 1):
            match = re.match(r"\s*#\s*if(def|ndef)?\b", line)
            if match:
                yield number, f"{match.group().strip()}: a platform is another folder, not a condition"


# In two parts, so that this line is not its own finding.
_UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")


def unfinished(file: File) -> Iterator[Finding]:
    for number, line in enumerate(file.lines, 1):
        match = _UNFINISHED.search(line)
        if match:
            yield number, f"{match.group()}: finish it, or open an issue"


def readme_length(file: File) -> Iterator[Finding]:
    if file.path.endswith("/README.md") and len(file.lines) > README_LINES:
        yield len(file.lines), f"{len(file.lines)} lines; a package needs {README_LINES} at most"


def spaces(file: File) -> Iterator[Finding]:
    for number, line in enumerate(file.lines, 1):
        if line != line.rstrip() or (file.is_code and "\t" in line):
            yield number, "a tab, or a space at the end"
    if file.text and not file.text.endswith("\n"):
        yield len(file.lines), "no newline at the end"


RULES: Dict[str, Callable[[File], Iterator[Finding]]] = {
    "columns": columns,
    "file_length": file_length,
    "file_length_most": file_length_most,
    "function_length": function_length,
    "header_length": header_length,
    "include_from_root": include_from_root,
    "include_layer": include_layer,
    "pragma_once": pragma_once,
    "readme_length": readme_length,
    "spaces": spaces,
    "unconditional": unconditional,
    "unfinished": unfinished,
}
