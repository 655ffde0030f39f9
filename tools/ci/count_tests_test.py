"""count_tests.py: that nothing that failed or was left out is counted as passed."""

import json
import os
import tempfile
import unittest

import count_tests
from count_tests import Count

GOOGLETEST = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4" failures="1"><testsuite name="A" tests="4">
<testcase name="Good" status="run" result="completed" classname="A" />
<testcase name="Bad" status="run" result="completed" classname="A"><failure message="x"/></testcase>
<testcase name="Out" status="run" result="skipped" classname="A">
<skipped message="a_test.cc:3&#x0A;needs io_uring&#x0A;" /></testcase>
<testcase name="DISABLED_Off" status="notrun" result="suppressed" classname="A" />
</testsuite></testsuites>"""
BAZEL = '<testsuites><testsuite><testcase name="a" status="run"/></testsuite></testsuites>'


class CountTestTest(unittest.TestCase):
    def test_googletest_cases_are_counted_one_by_one(self):
        self.assertEqual(
            count_tests.count_test("//a:b", False, GOOGLETEST, ""),
            Count(
                1,
                ("//a:b A.Bad",),
                ("//a:b A.Out: needs io_uring", "//a:b A.DISABLED_Off: disabled"),
            ),
        )

    def test_a_script_is_one_case(self):
        self.assertEqual(count_tests.count_test("//a:b", True, BAZEL, "fine"), Count(1))
        self.assertEqual(count_tests.count_test("//a:b", False, BAZEL, ""), Count(0, ("//a:b",)))

    def test_a_script_may_count_its_own_cases(self):
        log = "skipped: no fault here\n3 passed, 2 failed, 1 skipped\nx\n4 passed, 0 failed\n"
        self.assertEqual(
            count_tests.count_test("t", False, BAZEL, log),
            Count(7, ("t: case 1 of 2", "t: case 2 of 2"), ("t: no fault here",)),
        )

    def test_a_script_may_leave_the_number_of_skips_to_its_reasons(self):
        log = "skipped: a: no curl\nSKIP b: not root\nSKIPPED c: no disk\n3 passed, 0 failed\n"
        self.assertEqual(
            count_tests.count_test("t", True, BAZEL, log),
            Count(3, (), ("t: a: no curl", "t: b: not root", "t: c: no disk")),
        )
        self.assertEqual(
            count_tests.count_test("t", True, BAZEL, "1 passed, 0 failed, 1 skipped"),
            Count(1, (), ("t: no reason given",)),
        )

    def test_a_script_that_leaves_all_out_has_not_passed(self):
        count = count_tests.count_test("t", True, BAZEL, "SKIP no loopback here\n")
        self.assertEqual(count, Count(0, (), ("t: no loopback here",)))
        count = count_tests.count_test("t", False, BAZEL, "SKIP no loopback here\n")
        self.assertEqual(count, Count(0, ("t",)))

    def test_a_crash_after_good_cases_is_a_failure(self):
        good = GOOGLETEST.replace('<failure message="x"/>', "")
        self.assertEqual(len(count_tests.count_test("t", False, good, "").failed), 1)
        self.assertEqual(len(count_tests.count_test("t", False, "", "").failed), 1)
        log = "1 passed, 0 failed"
        self.assertEqual(len(count_tests.count_test("t", False, BAZEL, log).failed), 1)


class CountStepTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        return path

    def result(self, label, status, report="", shard=1):
        path = self.write(f"{label.strip('/')}{shard}.xml", report)
        return json.dumps({
            "id": {"testResult": {"label": label, "run": 1, "shard": shard, "attempt": 1}},
            "testResult": {
                "status": status,
                "testActionOutput": [{"name": "test.xml", "uri": "file://" + path}],
            },
        })

    def step(self, outcome, *events):
        return f"test:{outcome}:" + self.write("events", "\n".join(events))

    def test_events_name_the_tests_of_a_step(self):
        keep = os.path.join(self.folder.name, "kept")
        step = self.step(
            "failed",
            self.result("//a", "FAILED", GOOGLETEST),
            self.result("//b", "PASSED", BAZEL),
        )
        count = count_tests.count_step(step, keep)
        self.assertEqual((count.passed, count.failed), (2, ("test //a A.Bad",)))
        self.assertTrue(os.path.isfile(os.path.join(keep, "test/a/shard_1/test.xml")))

    def test_shards_add_up_and_the_last_attempt_counts(self):
        step = self.step(
            "passed",
            self.result("//a", "FAILED", BAZEL),
            self.result("//a", "PASSED", BAZEL),
            self.result("//a", "PASSED", BAZEL, shard=2),
        )
        self.assertEqual(count_tests.count_step(step), Count(2))

    def test_a_test_that_was_not_built_has_failed(self):
        event = json.dumps({"id": {"targetCompleted": {"label": "//c"}}, "completed": {}})
        step = self.step("failed", event)
        self.assertEqual(count_tests.count_step(step), Count(0, ("test //c",)))

    def test_a_step_that_failed_without_a_failing_test_has_failed(self):
        step = self.step("failed", self.result("//b", "PASSED", BAZEL), '{"id": ')
        self.assertEqual(count_tests.count_step(step), Count(1, ("test",)))
        self.assertEqual(count_tests.count_step("test:failed:/nowhere"), Count(0, ("test",)))

    def test_other_steps_are_one_case(self):
        self.assertEqual(count_tests.count_step("format:passed"), Count(1))
        self.assertEqual(count_tests.count_step("format:failed"), Count(0, ("format",)))
        self.assertEqual(
            count_tests.count_step("offline:skipped=no unshare: here"),
            Count(0, (), ("offline: no unshare: here",)),
        )


if __name__ == "__main__":
    unittest.main()
