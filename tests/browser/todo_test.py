"""The list of things to do in a real browser: by pointer and by keyboard, on its own forms."""

import hostile
from browser import PAGE_SECONDS, open_browser
from harness import expect, expect_equal, main, test, wait_until
from server import Server
from webdriver import ENTER, TAB

WHAT_UNITS = 120  # of UTF-16, in the page


def todo(context, **options):
    return Server(context, module="todo", **options)


def add(browser, what):
    browser.find("[name=what]").type(what)
    browser.turn_page(browser.find("form[action='/add'] button").click)


def press(browser, label):
    """The one button of that name, as a screen reader says it."""
    named = [button for button in browser.find_all("button") if button.label == label]
    expect_equal(len(named), 1, f"buttons named {label!r}")
    browser.turn_page(named[0].click)


def tasks(browser):
    """[what, done] of each task, as they are seen."""
    return browser.run(
        "return Array.from(document.querySelectorAll('li form'),"
        " form => [form.lastElementChild.innerText, form.querySelector('s') !== null])"
    )


def expect_tasks(browser, *expected):
    expect_equal(tasks(browser), [list(each) for each in expected], "the list")
    still = sum(not done for _, done in expected)
    expect(f"{still} of {len(expected)} open" in browser.text, f"the sum: {browser.text!r}")
    browser.expect_quiet()


@test
def tasks_are_added_done_and_cleaned_up(context):
    with open_browser(context) as browser, todo(context) as server:
        browser.visit(server)
        expect_equal(browser.title, "To do", "the title")
        expect("Nothing to do." in browser.text, f"an empty list: {browser.text!r}")
        for what in ("buy bread", "milk", "write a letter"):
            add(browser, what)
        expect_tasks(browser, ("buy bread", False), ("milk", False), ("write a letter", False))
        press(browser, "done: milk")
        press(browser, "done: buy bread")
        expect_tasks(browser, ("buy bread", True), ("milk", True), ("write a letter", False))
        press(browser, "again: buy bread")
        expect_tasks(browser, ("buy bread", False), ("milk", True), ("write a letter", False))
        press(browser, "Clean up")
        expect_tasks(browser, ("buy bread", False), ("write a letter", False))
        browser.reload()
        expect_tasks(browser, ("buy bread", False), ("write a letter", False))
        server.stop_clean()


@test
def the_keyboard_is_enough(context):
    with open_browser(context) as browser, todo(context) as server:
        browser.visit(server)
        for what in ("buy bread", "milk"):
            where = "What is to be done?"
            wait_until(lambda: browser.focused.label == where, PAGE_SECONDS, "one types there")
            browser.turn_page(lambda: browser.focused.type(what + ENTER))
        browser.focused.type(TAB)
        browser.focused.type(TAB)
        expect_equal(browser.focused.label, "done: buy bread", "two tabs further")
        browser.turn_page(lambda: browser.focused.type(ENTER))
        expect_tasks(browser, ("buy bread", True), ("milk", False))


@test
def the_list_is_there_after_a_kill(context):
    store = context.path("store")
    with open_browser(context) as browser:
        with todo(context, store=store) as server:
            browser.visit(server)
            add(browser, "buy bread")
            add(browser, "milk")
            press(browser, "done: milk")
            server.kill()
            port = server.port
        with todo(context, store=store, port=port) as server:
            browser.reload()
            expect_tasks(browser, ("buy bread", False), ("milk", True))
            press(browser, "Clean up")
            add(browser, "cheese")
            expect_tasks(browser, ("buy bread", False), ("cheese", False))
            server.stop_clean()


@test
def hostile_tasks_are_shown_and_never_run(context):
    """They stand between tags, and in the attribute that names the button."""
    with open_browser(context) as browser, todo(context) as server:
        for text in hostile.IN_ATTRIBUTE:
            hostile.expect_runs(browser, f'<title>A page</title><button aria-label="{text}">')
        browser.visit(server)
        expected = []
        for text in (*hostile.IN_TEXT, *hostile.IN_ATTRIBUTE, *hostile.AS_THEY_ARE):
            browser.put("[name=what]", text)
            press(browser, "Add")
            press(browser, f"done: {text}")
            hostile.expect_harmless(browser)
            expected.append((text, True))
            expect_tasks(browser, *expected)
        server.stop_clean()


@test
def neither_back_nor_reload_adds_again(context):
    with open_browser(context) as browser, todo(context) as server:
        browser.visit(server)
        add(browser, "buy bread")
        press(browser, "done: buy bread")
        add(browser, "milk")
        for act in (browser.reload, browser.back, browser.reload, browser.forward, browser.reload):
            act()
            expect_tasks(browser, ("buy bread", True), ("milk", False))
        server.stop_clean()


@test
def all_that_fits_into_the_form_is_taken_and_fits_a_phone(context):
    """The form counts UTF-16 units and the module bytes."""
    with open_browser(context, phone=True) as browser, todo(context) as server:
        browser.visit(server)
        for letter in ("W", "語"):
            add(browser, letter * (WHAT_UNITS + 1))
            expect_equal(tasks(browser)[-1], [letter * WHAT_UNITS, False], "the last task")
        widths = browser.run("return [innerWidth, document.documentElement.scrollWidth]")
        expect_equal(widths, [360, 360], "widths of the screen and of the page")


if __name__ == "__main__":
    main(__doc__)
