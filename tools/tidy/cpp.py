"""A look at C++ text that needs no compiler: comments and literals blanked, functions found."""

import re
from typing import List, NamedTuple

_TOKENS = re.compile(
    r"""//[^\n]*"""
    r"""|/\*.*?\*/"""
    r"""|R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)\""""
    r"""|"(?:\\.|[^"\\\n])*\""""
    r"""|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'""",
    re.DOTALL,
)
_SCOPE = re.compile(r"^(template\s*<.*>\s*)?(typedef\s+)?(class|struct|union|enum|namespace)\b")
_LINKAGE = re.compile(r'^extern\s*"\s*"$')
_ACCESS = re.compile(r"^\s*(public|private|protected)\s*:(?!:)")
# The colon that begins a constructor's list, and after which a brace may hold a member's value.
_INITIALIZERS = re.compile(r"\)\s*(noexcept\s*)?:(?!:)")
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)


class Function(NamedTuple):
    """A function with a body: its first line (from 1), its length in lines, how it begins."""

    line: int
    length: int
    head: str


def _spaces(match) -> str:
    return re.sub(r"[^\n]", " ", match.group())


def blank(text: str) -> str:
    """The same text, as long and with the same lines, with comments and literals made of spaces."""

    def hidden(match):
        # The quotes of a string stay: they tell `extern "C"` from `extern`.
        return f'"{_spaces(match)[2:]}"' if match.group().startswith('"') else _spaces(match)

    return _TOKENS.sub(hidden, text)


def _kind(head: str) -> str:
    """What the brace after this head opens: a scope, a function, or a value."""
    head = head.strip()
    if _SCOPE.match(re.sub(r"\[\[.*?\]\]", "", head)) or _LINKAGE.match(head):
        return "scope"
    if head.endswith(("=", ",", "(", "return")) or ")" not in head:
        return "value"
    start = _INITIALIZERS.search(head)
    if start and re.search(r"[\w>]$", head):
        return "value"
    return "function"


def _matching(text: str, at: int) -> int:
    """The place of the brace that closes the one at `at`, or the end."""
    depth = 0
    for place in range(at, len(text)):
        if text[place] == "{":
            depth += 1
        elif text[place] == "}":
            depth -= 1
            if depth == 0:
                return place
    return len(text) - 1


def functions(text: str) -> List[Function]:
    """All functions with a body. A lambda counts as lines of the function that it is in."""
    code = _DIRECTIVE.sub(_spaces, blank(text))
    found: List[Function] = []
    begin, place, parens = 0, 0, 0
    while place < len(code):
        char = code[place]
        if char == "(":
            parens += 1
        elif char == ")":
            parens = max(0, parens - 1)
        elif parens == 0 and char in ";}":
            begin = place + 1
        elif char == ":" and _ACCESS.match(code[begin : place + 2]):
            begin = place + 1
        elif char == "{":
            head = code[begin:place]
            kind = "value" if parens else _kind(head)
            if kind == "scope":
                begin = place + 1
            else:
                end = _matching(code, place)
                if kind == "function":
                    first = begin + len(head) - len(head.lstrip())
                    line = code.count("\n", 0, first) + 1
                    last = code.count("\n", 0, end) + 1
                    found.append(Function(line, last - line + 1, " ".join(head.split())))
                    begin = end + 1
                place = end
        place += 1
    return found
