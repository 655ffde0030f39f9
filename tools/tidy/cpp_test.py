"""cpp.py: that it finds functions, and takes nothing else for one."""

import unittest

import cpp


def heads(text):
    return [function.head for function in cpp.functions(text)]


class FunctionsTest(unittest.TestCase):
    def test_a_function_is_counted_from_its_head_to_its_brace(self):
        (found,) = cpp.functions("int a;\n\nint F(int x,\n      int y) {\n  return x;\n}\n")
        self.assertEqual((found.line, found.length, found.head), (3, 4, "int F(int x, int y)"))

    def test_methods_are_found_inside_of_scopes(self):
        text = (
            "namespace a {\nextern \"C\" {\n"
            "template <class T>\nclass [[nodiscard]] B final : public C {\n"
            " public:\n  B() = default;\n  int F() const noexcept { return 1; }\n private:\n"
            "  int G() { return 2; }\n};\nenum class D { kE };\n}}"
        )
        self.assertEqual(heads(text), ["int F() const noexcept", "int G()"])

    def test_a_list_of_initializers_is_no_body(self):
        text = "A::A(int x) : a_{x}, b_(x), c_{{x}, x} {\n  F();\n}\nvoid G() {}\n"
        found = cpp.functions(text)
        self.assertEqual([function.length for function in found], [3, 1])

    def test_values_are_no_functions(self):
        text = "int a[] = {1, 2};\nauto b = F({1});\nvoid G(A a = {}) { H(); }\nA c{F()};\nint d;\n"
        self.assertEqual(heads(text), ["void G(A a = {})"])

    def test_a_lambda_is_part_of_its_function(self):
        self.assertEqual(heads("void F() {\n  G([](int x) { return x; });\n}\n"), ["void F()"])

    def test_braces_in_literals_comments_and_macros_do_not_count(self):
        text = (
            "#define OPEN(x) \\\n  {\nvoid F() {\n  // }}}\n  G(\"}\", '}', R\"x(}\")x\", 1'000);\n"
            "  /* } */\n}\nvoid H() {}\n"
        )
        self.assertEqual(heads(text), ["void F()", "void H()"])


class BlankTest(unittest.TestCase):
    def test_length_and_lines_stay(self):
        text = 'a("x\\"y"); // c\n/* d\n*/ b\n'
        self.assertEqual(len(cpp.blank(text)), len(text))
        self.assertEqual(cpp.blank(text).split(), ['a("', '");', "b"])


if __name__ == "__main__":
    unittest.main()
