"""rules.py: each rule finds what it is for, and lets good code pass."""

import unittest

import rules


def check(rule, path, text):
    return [line for line, _ in rules.RULES[rule](rules.File(path, text))]


class RulesTest(unittest.TestCase):
    def test_columns(self):
        self.assertEqual(check("columns", "a.cc", "x" * 100 + "\n" + "x" * 101 + "\n"), [2])
        self.assertEqual(check("columns", "a.bzl", "x" * 90 + "https://" + "x" * 90), [])

    def test_function_length(self):
        body = "int F() {\n" + "  G();\n" * 68 + "}\n"
        self.assertEqual(check("function_length", "a.cc", body), [])
        self.assertEqual(check("function_length", "a.cc", body.replace("}", "  G();\n}")), [1])
        python = "def f():\n" + "    g()\n" * 69
        self.assertEqual(check("function_length", "a.py", python), [])
        self.assertEqual(check("function_length", "a.py", python + "    g()\n"), [1])

    def test_file_length(self):
        self.assertEqual(check("file_length", "a.cc", "\n" * 400), [])
        self.assertEqual(check("file_length", "a.cc", "\n" * 401), [401])
        self.assertEqual(check("file_length_most", "a.cc", "\n" * 800), [])
        self.assertEqual(check("file_length_most", "a.cc", "\n" * 801), [801])

    def test_header_length(self):
        self.assertEqual(check("header_length", "a.h", "\n" * 250), [])
        self.assertEqual(check("header_length", "a.h", "\n" * 251), [251])
        self.assertEqual(check("header_length", "a.cc", "\n" * 251), [])

    def test_pragma_once(self):
        self.assertEqual(check("pragma_once", "a.h", "// A.\n#pragma once\n"), [])
        self.assertEqual(check("pragma_once", "a.h", "#include <a>\n#pragma once\n"), [1])
        self.assertEqual(check("pragma_once", "a.h", "// #pragma once\nint a;\n"), [1])

    def test_include_from_root(self):
        good = '#include <string>\n#include "runtime/bytes.h"\n#include "gtest/gtest.h"\n'
        self.assertEqual(check("include_from_root", "store/a.cc", good), [])
        bad = '#include "bytes.h"\n#include "../runtime/bytes.h"\n// #include "a.h"\n'
        self.assertEqual(check("include_from_root", "runtime/a.cc", bad), [1, 2])

    def test_include_layer_of_system_headers(self):
        text = "#include <vector>\n#include <sys/uio.h>\n#include <thread>\n#include <unistd.h>\n"
        self.assertEqual(check("include_layer", "runtime/a.cc", text), [2, 3, 4])
        self.assertEqual(check("include_layer", "modules/a.h", text), [2, 3, 4])
        self.assertEqual(check("include_layer", "store/a.cc", text), [2, 3, 4])
        self.assertEqual(check("include_layer", "store/posix/a.cc", text), [])
        self.assertEqual(check("include_layer", "runtime/a_test.cc", text), [])
        self.assertEqual(check("include_layer", "store/fuzz/a.cc", text), [])

    def test_include_layer_of_project_headers(self):
        for path, header in [
            ("runtime/a.cc", "store/store.h"),
            ("runtime/a.cc", "absl/strings/str_cat.h"),
            ("store/a.cc", "store/posix/posix_files.h"),
            ("store/a.cc", "modules/app.h"),
            ("modules/a.cc", "store/extent_store.h"),
            ("executor/a.cc", "transport/transport.h"),
            ("transport/a.cc", "transport/epoll/factory.h"),
            ("transport/a.cc", "platforms/linux/clock.h"),
            ("transport/http1/a.cc", "executor/executor.h"),
            ("transport/epoll/a.cc", "transport/shard.h"),
            ("transport/io_uring/a.cc", "transport/http1/parser.h"),
            ("platforms/linux/a.cc", "transport/transport.h"),
        ]:
            self.assertEqual(check("include_layer", path, f'#include "{header}"\n'), [1], path)
        for path, header in [
            ("runtime/a.cc", "absl/types/span.h"),
            ("store/a.cc", "runtime/bytes.h"),
            ("modules/a.cc", "store/store.h"),
            ("executor/a.cc", "modules/app.h"),
            ("transport/a.cc", "executor/executor.h"),
            ("transport/epoll/a.cc", "transport/transport.h"),
            ("platforms/server/main.cc", "store/posix/posix_files.h"),
        ]:
            self.assertEqual(check("include_layer", path, f'#include "{header}"\n'), [], path)

    def test_unfinished(self):
        word = "TO" + "DO"
        self.assertEqual(check("unfinished", "a.md", f"a\n{word}: b\n{word}S\n"), [2])

    def test_readme_length(self):
        self.assertEqual(check("readme_length", "store/README.md", "\n" * 30), [])
        self.assertEqual(check("readme_length", "store/README.md", "\n" * 31), [31])
        self.assertEqual(check("readme_length", "README.md", "\n" * 31), [])

    def test_spaces(self):
        self.assertEqual(check("spaces", "a.cc", "a \n\tb\nc"), [1, 2, 3])
        self.assertEqual(check("spaces", "a.cc", "a\n"), [])

    def test_every_rule_is_tested_here(self):
        self.assertEqual(
            [name for name in rules.RULES if not any(
                test.startswith("test_" + name) for test in dir(self))
             and name != "file_length_most"],
            [],
        )

    def test_one_thread_of_the_store(self):
        thread = "#include <thread>\n"
        self.assertEqual(check("include_layer", "store/background.h", thread), [])
        self.assertEqual(check("include_layer", "store/log.h", thread), [1])
        self.assertEqual(check("include_layer", "store/posix/posix_file.cc", thread), [])

    def test_unconditional(self):
        text = "// #if 0\n#pragma once\n#ifdef A\n#endif\n# if B\n#endif\n"
        self.assertEqual(check("unconditional", "transport/epoll/a.h", text), [3, 5])
        self.assertEqual(check("unconditional", "store/a.h", text), [])


if __name__ == "__main__":
    unittest.main()
