"""Plays one case against a server and says what is not as it should be."""

import re
import time

from server import Trouble, pattern
from wire import Malformed, Wire

CASE_S = 60           # longest life of a connection
REACT_S = 1.5         # within this the server answers, or closes
EXPECT_S = 5          # a step that waits for an answer
QUIET_S = 0.3         # after the last answer nothing more may come for so long
SPLIT_S = 0.002       # between the two packets of a split request
AFTER_TRIES, AFTER_S = 50, 0.02


class Run:
    """One run of a case: its connections, and what was wrong."""

    def __init__(self, server, filled, cut=None):
        self.server, self.filled, self.case = server, filled, filled.case
        self.wires, self.problems, self.receive_buffer = {}, [], None
        self.got = []  # statuses on the judged connection, 1xx included, before the probe
        self.slack = server.slack
        self.steps = filled.steps
        if cut is not None:
            text = self.steps[0]["send"]
            self.steps = [{"send": text[:cut]}, {"wait_ms": 0}, {"send": text[cut:]}]

    def play(self):
        try:
            if "signal" in self.case.config:
                self.signal_first()
            for step in self.steps:
                self.take_step(step)
            self.wire(self.case.judged)
            self.problems += Judge(self).problems()
            for wire in self.wires.values():
                wire.close()
            self.problems += self.look_afterwards()
        except (Trouble, Malformed, OSError) as error:
            self.problems.append(f"{type(error).__name__}: {error}")
        finally:
            for wire in self.wires.values():
                wire.close()
        return self

    def wire(self, number):
        if number not in self.wires:
            self.wires[number] = Wire(self.server.port, CASE_S * self.slack, self.receive_buffer)
        return self.wires[number]

    def judged(self):
        return self.wires[self.case.judged]

    def finals(self):
        return [status for status in self.got if status >= 200]

    def sleep(self, seconds):
        time.sleep(seconds * self.slack)

    # The server gets its signal while the connection is open and nothing was sent.
    def signal_first(self):
        self.wire(self.case.judged)
        self.sleep(0.1)
        self.server.signal_stop()
        self.sleep(0.1)

    def take_step(self, step):
        name = next(key for key in step if key not in ("conn", "also_ok"))
        value = step[name]
        if name == "rcvbuf":
            self.receive_buffer = value
        elif name == "open":
            for number in range(1, value + 1):
                self.wire(number)
        elif name == "wait_ms":
            self.wire(step.get("conn", 1))
            time.sleep(max(SPLIT_S, value / 1000 * self.slack))
        elif name == "expect":
            self.await_answer(step)
        elif name == "no_read_ms":
            self.wire(step.get("conn", 1))
            self.leave_unread(value / 1000)
        else:
            self.act(self.wire(step.get("conn", 1)), name, value)

    def act(self, wire, name, value):
        if name == "send":
            wire.send(value.encode("latin-1"))
        elif name == "send_pattern":
            wire.send(pattern(int(value)))
        elif name == "drip":
            pieces = [bytes([octet]) for octet in value["send"].encode("latin-1")]
            wire.send_paced(pieces, value["every_ms"] / 1000 * self.slack)
        elif name == "repeat":
            piece = value["send"].encode("latin-1")
            if "every_ms" in value:
                wire.send_paced([piece] * value["times"], value["every_ms"] / 1000 * self.slack)
            else:
                wire.send(piece * value["times"])
        elif name == "shutdown":
            wire.end_sending()
        elif name == "abort":
            wire.abort()
        elif name == "read_rate":
            wire.receive_slowly(value, REACT_S * self.slack)
        else:
            raise ValueError(f"no step {name}")

    # Reads nothing for so long; another client must be served meanwhile.
    def leave_unread(self, seconds):
        self.sleep(seconds / 2)
        answer = self.server.fetch(self.filled.seed)
        if answer.status != 200 or answer.body != b"hello":
            self.problems.append(f"another client got {answer} meanwhile")
        self.sleep(seconds / 2)

    # Waits for one more answer. On the judged connection the whole is judged at the end.
    def await_answer(self, step):
        number = step.get("conn", 1)
        wire = self.wire(number)
        wire.expected += 1
        judged = number == self.case.judged
        outcomes = self.case.outcomes if judged else []
        wire.receive_until(
            lambda: len(wire.answers) >= wire.expected or wire.statuses() in outcomes,
            EXPECT_S * self.slack)
        allowed = [step["expect"], *step.get("also_ok", [])]
        got = wire.statuses()
        if not judged and (len(got) != wire.expected or got[-1] not in allowed):
            self.problems.append(f"connection {number} expected {allowed}, got {wire}")

    # What fresh connections read. A write whose client has gone may still be on its way.
    def look_afterwards(self):
        problems = []
        for item in self.filled.after:
            for _ in range(AFTER_TRIES):
                answer = self.server.fetch(item["get"])
                if self.is_wanted(item, answer) or item["status"] != 200:
                    break
                self.sleep(AFTER_S)
            if not self.is_wanted(item, answer):
                problems.append(f"afterwards {item['get']} is {answer}, {answer.body[:40]!r}")
        return problems

    @staticmethod
    def is_wanted(item, answer):
        if answer.status != item["status"]:
            return False
        if "pattern" in item:
            return answer.body == pattern(int(item["pattern"]))
        return "body" not in item or answer.body == item["body"].encode("latin-1")


class Judge:
    """What the judged connection got, against what its case expects."""

    def __init__(self, run):
        self.run, self.case, self.filled, self.wire = run, run.case, run.filled, run.judged()
        self.react_s = REACT_S * run.slack

    def problems(self):
        self.await_end()
        wire, self.run.got = self.wire, self.wire.statuses()
        if wire.trouble or self.run.got not in self.case.outcomes:
            return [wire.trouble or "other answers"]
        checks = (self.errors, self.content, self.completeness, self.times, self.ending)
        return [problem for check in checks for problem in check()]

    # All answers, one too many, or the end.
    def await_end(self):
        wire = self.wire
        most = max(len(outcome) for outcome in self.case.outcomes)
        if self.case.closes:
            while len(wire.answers) <= most and wire.receive(
                    QUIET_S * self.run.slack if self.may_stay_open() else self.react_s):
                pass
            return
        finals = len(self.case.expected_finals)
        wire.receive_until(
            lambda: len(wire.finals()) >= finals or len(wire.answers) > most, self.react_s)

    # What came is allowed but not what is expected, and no outcome goes on from there.
    def may_stay_open(self):
        got, outcomes = self.wire.statuses(), self.case.outcomes
        longer = any(outcome[:len(got)] == got and len(outcome) > len(got) for outcome in outcomes)
        return got in outcomes[1:] and not longer

    def pairs(self):
        """Each final answer with its expected status and word."""
        return zip(self.wire.finals(), self.case.expected_finals)

    def last_is_of_the_expected_kind(self):
        finals, expected = self.wire.finals(), self.case.expected_finals
        if not finals or len(finals) != len(expected):
            return False
        return alike(finals[-1].status, expected[-1][0])

    def errors(self):
        for answer, (status, error) in self.pairs():
            word = answer.field("X-Pure-Error")
            if error is not None and alike(answer.status, status) and word != error:
                yield f"the {answer.status} says {word}, not {error}"

    def content(self):
        if not self.last_is_of_the_expected_kind():
            return
        answer = self.wire.finals()[-1]
        for name, wanted in self.filled.headers.items():
            if not matches(answer.field(name), wanted):
                yield f"{name} is {answer.field(name)!r}, not {wanted!r}"
        body = answer.body.decode("latin-1")
        if self.filled.body is not None and not matches(body, self.filled.body):
            yield f"the body is {answer.body[:80]!r}, not {self.filled.body!r}"

    def completeness(self):
        cuts = [answer.cut_short for answer in self.wire.finals()]
        if any(cuts[:-1]) or (cuts and cuts[-1] != self.case.data.get("expect_cut", False)):
            yield "cut short" if any(cuts) else "not cut short"

    def times(self):
        if self.case.data.get("expect_no_reset") and self.wire.send_error:
            yield f"a send failed: {self.wire.send_error}"
        took_s = self.wire.last_at - self.wire.opened_at
        if took_s > self.case.data.get("expect_within_ms", CASE_S * 1000) / 1000 * self.run.slack:
            yield f"ended only after {took_s:.1f} s"

    # Closed, or open and in step, as the case has it. A variant of another class may be either.
    def ending(self):
        wire, finals = self.wire, self.wire.finals()
        if wire.end == "aborted":
            return
        if finals and self.case.expected_finals and not self.last_is_of_the_expected_kind():
            before = len(wire.answers)
            trouble = [] if wire.end else list(self.out_of_step())
            if not wire.end or len(wire.answers) > before + 1:
                yield from trouble
        elif self.case.closes:
            if not wire.end:
                yield f"still open after {self.react_s:g} s"
            elif wire.end == "reset" and finals and not self.case.data.get("expect_cut"):
                yield "closed by a reset, which may destroy the answer on its way"
        elif wire.end:
            yield wire.end
        elif "close" in re.split(r"[ \t,]+", (finals[-1].field("Connection") or "").lower()):
            yield "it announces Connection: close"
        else:
            yield from self.out_of_step()

    # One more GET of the seed document gets one answer, the current value, and nothing more.
    def out_of_step(self):
        wire, before = self.wire, len(self.wire.answers)
        lines = [f"GET /objects/{self.filled.seed} HTTP/1.1", "Host: localhost"]
        lines += self.run.server.credentials()
        wire.send("\r\n".join(lines + ["", ""]).encode())
        wire.receive_until(lambda: len(wire.answers) > before, self.react_s)
        if len(wire.answers) == before:
            yield f"one more GET got {wire.trouble or wire.end or 'no answer'}"
            return
        answer = wire.answers[before]
        if answer.status != 200 or answer.body != self.filled.seed_body:
            yield f"out of step: one more GET got {answer}, {answer.body[:40]!r}"
            return
        wire.end_sending()
        wire.receive_until(lambda: False, QUIET_S * self.run.slack)
        if len(wire.answers) != before + 1 or wire.taken != len(wire.received):
            yield "bytes behind the answer to one more GET"


def alike(one, other):
    return one == other or one // 100 == other // 100 == 2


def matches(value, wanted):
    """/expression/ and /expression/i are searched for; other text must be equal."""
    expression = re.fullmatch(r"/(.*)/(i?)", wanted, re.S)
    if value is None or not expression:
        return value == wanted
    return re.search(expression[1], value, re.I if expression[2] else 0) is not None
