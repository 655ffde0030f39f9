"""tidy.py: that the whole-tree walk sees files, and that its numbers only fall."""

import os
import tempfile
import unittest

import tidy


class RatchetTest(unittest.TestCase):
    def test_more_findings_than_known_fail(self):
        self.assertEqual(
            tidy.compare({"a": ["x:1: b"]}, {}), ["x:1: b", "a: 1 findings, 0 are known"]
        )

    def test_known_findings_pass(self):
        self.assertEqual(tidy.compare({"a": ["x"], "b": []}, {"a": 1}), [])

    def test_fewer_findings_must_be_written_down(self):
        self.assertEqual(len(tidy.compare({"a": []}, {"a": 1})), 1)

    def test_an_unknown_rule_fails(self):
        self.assertEqual(len(tidy.compare({}, {"a": 1})), 1)

    def test_tighten_lets_no_number_grow(self):
        found = {"a": ["x"], "b": ["x", "y"], "c": [], "d": ["x"]}
        self.assertEqual(tidy.tighten(found, {"a": 3, "b": 1, "c": 2}), {"a": 1, "b": 1})


class WalkTest(unittest.TestCase):
    def test_the_tree_is_walked_without_what_is_not_ours(self):
        with tempfile.TemporaryDirectory() as root:
            for path in ["a/b.cc", "a/BUILD.bazel", ".git/c", "bazel-out/d.cc", ".ci/run", "a/e"]:
                whole = os.path.join(root, path)
                os.makedirs(os.path.dirname(whole), exist_ok=True)
                with open(whole, "w", encoding="utf-8") as stream:
                    stream.write("x" * 101)
            self.assertEqual(list(tidy.paths(root)), [".ci/run", "a/BUILD.bazel", "a/b.cc"])
            found = tidy.findings(root)
            self.assertEqual(found["columns"], ["a/b.cc:1: 101 columns"])
            self.assertEqual(found["readme"], ["a/BUILD.bazel:1: the package has no README.md"])


if __name__ == "__main__":
    unittest.main()
