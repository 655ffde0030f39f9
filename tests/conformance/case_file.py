"""The cases of http_cases.jsonl: reading, checking, and what a case means once it is filled in.

A case is a JSON object on a line of its own. Documents: seed0 holds `hello` and is new in each run;
absent0 does not exist; big0 is large. The runner puts other keys of the same length in their place.
${ETAG} is the ETag of seed0, ${REV} the same without quotes; ${LIMIT} and ${LIMIT_PLUS_1} come from
the object limit.

    id, cat, why, src, level  name, category, reason, source of the rule, its strictness: for readers
    request, request_hex      one request: text in which each character is a byte, or hexadecimal
    steps                     or several actions, in order, each on connection `conn` (1 unless said):
        send, send_pattern    text; so many bytes of a known pattern
        drip, repeat          {send, every_ms}: byte by byte; {send, times, every_ms?}: again and again
        expect                wait for one more answer; unless judged, it must be this one
        wait_ms, no_read_ms   do nothing; the same, and another client must be served meanwhile
        read_rate, rcvbuf     read an answer at so many bytes a second; the next receive buffer
        shutdown, abort, open end sending; reset; open connections 1 to N
    config                    the server's timeout_ms, budget, capacity; auth, signal; fault: skipped

What is expected of the judged connection, the first with an `expect`, else 1:

    expect_status(es)         the final status, or all in order, 1xx included; 0: closed, no answer
    expect_error(s)           X-Pure-Error of the last answer, or of each; null does not matter
    expect_headers, _body     of the last answer; /expression/ is searched for, other text is equal
    expect_close              true: the server ends the stream, not by a reset when it answered;
                              false: one more GET on the connection gets seed0 and nothing else
    also_ok(_statuses)        other final statuses, or lists, that pass too
    expect_within_ms          the end comes by then
    expect_cut, _no_reset     it comes in mid-body; no send may fail
    after                     what fresh connections read then: {get, status, body or pattern}
"""

import collections
import itertools
import json
import re

STEPS = {"send", "send_pattern", "drip", "repeat", "rcvbuf", "open", "shutdown", "abort", "wait_ms",
         "no_read_ms", "expect", "read_rate"}
FIELDS = {"id", "cat", "why", "src", "level", "request", "request_hex", "steps", "config", "after",
          "expect_status", "expect_statuses", "expect_error", "expect_errors", "expect_headers",
          "expect_body", "expect_close", "expect_within_ms", "expect_cut", "expect_no_reset",
          "also_ok", "also_ok_statuses"}
NAMES = {"ETAG", "REV", "LIMIT", "LIMIT_PLUS_1"}
FIXTURES = {"seed0", "absent0", "big0"}
KEY = re.compile(r"(?<=/objects/)[A-Za-z0-9_-]+")
KEY_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-"


class Case:
    """One case. The steps of a case that is a single request are one `send`."""

    def __init__(self, data):
        unknown = set(data) - FIELDS
        text = json.dumps(data)
        unknown |= set(re.findall(r"\$\{(\w+)\}", text)) - NAMES
        if unknown or len({"request", "request_hex", "steps"} & set(data)) != 1:
            raise ValueError(f"case {data.get('id')}: {unknown or 'not one of request and steps'}")
        self.id, self.category, self.why = data["id"], data["cat"], data["why"]
        self.config = data.get("config", {})
        self.data = data
        self.single = "steps" not in data
        self.steps = data["steps"] if not self.single else [{"send": request_text(data)}]
        for step in self.steps:
            if len(set(step) & STEPS) != 1 or set(step) - STEPS - {"conn", "also_ok"}:
                raise ValueError(f"case {self.id}: a step of {step}")
        self.after = data.get("after", [])
        self.reads_large = "/objects/big0" in text
        self.large = self.reads_large or "send_pattern" in text
        self.judged = next((step.get("conn", 1) for step in self.steps if "expect" in step), 1)
        self.closes = data["expect_close"]
        self.outcomes = outcomes(data)
        self.expected_finals = expected_finals(data, self.outcomes[0])

    def needs_limit(self):
        return "${LIMIT" in json.dumps(self.steps)

    def expectation(self):
        shown = [f"{status} {error or '-'}" for status, error in self.expected_finals]
        if len(shown) > 4:
            shown[4:] = [f"{len(shown) - 4} more"]
        return f"{', '.join(shown) or 'no answer'} ({'closed' if self.closes else 'open'})"

    def keys(self):
        """The documents that it writes, besides the fixtures."""
        written = {key for step in self.steps
                   for key in re.findall(r"PUT /objects/([\w-]+)", sent_text(step))}
        return {key for key in written if len(key) <= 64} - FIXTURES

    def filled(self, names, keys):
        """This case with names and document keys replaced, as Filled."""
        return Filled(self, names, keys)


class Filled:
    """A case for one run: its steps, what is looked at afterwards, and the expected content."""

    def __init__(self, case, names, keys):
        def fill(text):
            text = re.sub(r"\$\{(\w+)\}", lambda found: str(names[found[1]]), text)
            return KEY.sub(lambda found: keys.get(found[0], found[0]), text)

        def fill_all(value):
            if isinstance(value, str):
                return fill(value)
            if isinstance(value, dict):
                return {key: fill_all(part) for key, part in value.items()}
            return [fill_all(part) for part in value] if isinstance(value, list) else value

        self.case = case
        self.steps = fill_all(case.steps)
        self.after = [{**fill_all(item), "get": keys.get(item["get"], item["get"])}
                      for item in case.after]
        self.headers = fill_all(case.data.get("expect_headers", {}))
        self.body = fill_all(case.data.get("expect_body"))
        self.seed = keys["seed0"]
        changed = next((item["body"] for item in case.after
                        if item["get"] == "seed0" and "body" in item), "hello")
        self.seed_body = changed.encode("latin-1")


def request_text(data):
    """The bytes of a single request, as text in which each character is a byte."""
    if "request" in data:
        return data["request"]
    return bytes.fromhex(data["request_hex"]).decode("latin-1")


def sent_text(step):
    for name in ("send", "drip", "repeat"):
        if name in step:
            return step[name] if name == "send" else step[name]["send"]
    return ""


def outcomes(data):
    """All lists of statuses that may come back, 1xx included; the expected one first."""
    expected = [status for status in data.get("expect_statuses", [data["expect_status"]]) if status]
    first = next((i for i, status in enumerate(expected) if status >= 200), 0)
    others = [expected[:first] + ([status] if status else []) + expected[first + 1:]
              for status in data.get("also_ok", [])]
    return [expected] + others + data.get("also_ok_statuses", [])


def expected_finals(data, expected):
    """(status, X-Pure-Error) of each expected final answer; None where the word does not matter."""
    errors = data.get("expect_errors") or [None] * (len(expected) - 1) + [data.get("expect_error")]
    return [(status, error) for status, error in zip(expected, errors) if status >= 200]


class Keys:
    """Document keys that no run has used, so that runs do not meet. Not thread-safe."""

    def __init__(self, cases):
        self.taken = {key for case in cases for key in case.keys()}
        self.counters = collections.defaultdict(itertools.count)

    def fresh(self, length):
        """Of that length, so that a request with it has the same size."""
        for number in self.counters[length]:
            digits = ""
            while number:
                number, digit = divmod(number, len(KEY_DIGITS))
                digits += KEY_DIGITS[digit]
            key = digits.ljust(length, KEY_DIGITS[0])
            if len(key) > length:
                raise ValueError(f"too many runs for keys of {length} characters")
            if key not in self.taken:
                return key
        raise AssertionError

    def for_run(self, case, again):
        """What stands for the case's keys in a run; `again`: it has run on this server before."""
        names = FIXTURES - {"big0"} | (case.keys() if again else set())
        return {name: self.fresh(len(name)) for name in sorted(names)}


def load(path):
    with open(path, encoding="utf-8") as file:
        return [Case(json.loads(line)) for line in file if line.strip()]
