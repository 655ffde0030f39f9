"""Texts that set `hacked` where a page shows them as they are, and what a page does with them."""

import urllib.parse

from browser import PAGE_SECONDS
from harness import expect_equal, wait_until

# Between tags.
IN_TEXT = (
    "<script>hacked = 1</script>",
    "<img src=x onerror=hacked=1>",
    "</td></table></span></form><svg onload=hacked=1>",
    "--></style></title></textarea><iframe srcdoc='<script>parent.hacked=1</script>'></iframe>",
)
# In an attribute between double quotes. The first needs no visitor, and no `>`.
_SHOWN = "oncontentvisibilityautostatechange"
IN_ATTRIBUTE = (
    f'" style="display:block;content-visibility:auto" {_SHOWN}="hacked=1',
    '"><img src=x onerror="hacked=1">',
)

# These do nothing in the places that the pages have for them, and have to be seen as they are.
AS_THEY_ARE = (
    "javascript:hacked=1",
    "{hacked} {{hacked}} ${hacked} <%= hacked %>",
    "&lt;b&gt; &amp;amp; &#60; &quot;",
    "Zażółć gęślą jaźń, 日本語, עברית, e\u0301, 👩‍👩‍👧",
)


def expect_runs(browser, page):
    """That page sets `hacked`: the text in it is not harmless by itself."""
    browser.open("data:text/html;charset=utf-8," + urllib.parse.quote(page))
    wait_until(lambda: _is_hacked(browser), PAGE_SECONDS, f"{page!r} runs")
    browser.console()  # forgets what it said of it


def expect_harmless(browser):
    """Nothing has run in this page, and nothing is in it that could."""
    browser.expect_quiet()
    expect_equal(_is_hacked(browser), False, "a text of a visitor runs")
    foreign = f"script, img, svg, iframe, a, [{_SHOWN}]"
    expect_equal(len(browser.find_all(foreign)), 0, "elements that visitors made")


def _is_hacked(browser):
    return browser.run("return 'hacked' in window")
