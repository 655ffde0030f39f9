"""Temporary macros."""
_COPTS = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-fno-exceptions", "-fno-rtti"]
def pure_library(name, copts = [], **kw):
    native.cc_library(name = name, copts = _COPTS + copts, **kw)
def pure_binary(name, copts = [], **kw):
    native.cc_binary(name = name, copts = _COPTS + copts, **kw)
def pure_test(name, copts = [], deps = [], **kw):
    native.cc_test(name = name, copts = ["-Wall", "-Wextra", "-Werror"] + copts, deps = deps + ["@com_google_googletest//:gtest", "@com_google_googletest//:gtest_main"], **kw)
def pure_benchmark(name, copts = [], deps = [], **kw):
    native.cc_binary(name = name, copts = _COPTS + copts, testonly = 1, deps = deps + ["@com_github_google_benchmark//:benchmark_main"], **kw)
