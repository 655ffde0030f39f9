"""The guestbook in a real browser: it is signed, shows what was written, and nothing runs."""

import urllib.parse

import hostile
from browser import open_browser
from harness import expect, expect_equal, main, test
from server import Server

FORM = [("Content-Type", "application/x-www-form-urlencoded")]
NAME_UNITS, WORDS_UNITS = 40, 280  # of UTF-16, in the page
WORDS_BYTES = 3 * WORDS_UNITS  # in the module
MOST_ENTRIES = 500


def guestbook(context, **options):
    return Server(context, module="guestbook", **options)


def sign(browser, who, said):
    browser.find("[name=who]").type(who)
    browser.find("[name=said]").type(said)
    browser.turn_page(browser.find("button").click)


def entries(browser):
    """Name and words of each entry, as they are seen."""
    return browser.run(
        "return Array.from(document.querySelectorAll('tr[id]'),"
        " row => [row.cells[0].innerText, row.cells[1].innerText])"
    )


def commit(server):
    """The number of the last save."""
    return int(server.request("GET", "/views/entries").fields["x-pure-commit"])


@test
def a_visitor_signs_and_sees_it(context):
    with open_browser(context) as browser, guestbook(context) as server:
        browser.visit(server)
        expect_equal(browser.title, "Guestbook", "the title")
        expect("Nobody yet." in browser.text, f"an empty book: {browser.text!r}")
        labels = [field.label for field in browser.find_all("input, button")]
        expect_equal(labels, ["Name", "Words", "Sign"], "what a screen reader says")
        sign(browser, "Ann", "Hello, world!")
        expect_equal(browser.url, f"http://127.0.0.1:{server.port}/", "where signing leads")
        sign(browser, "Bob", "Me too.")
        expect_equal(entries(browser), [["Bob", "Me too."], ["Ann", "Hello, world!"]], "the book")
        # The browser sends the page's origin with the form; the server compares it with the host.
        browser.visit(server, host="localhost")
        sign(browser, "Cem", "A name will do.")
        expect_equal(browser.url, f"http://localhost:{server.port}/", "where signing leads")
        expect_equal(entries(browser)[0], ["Cem", "A name will do."], "the newest entry")
        browser.expect_quiet()
        server.stop_clean()


@test
def a_page_of_somebody_else_can_not_sign(context):
    with (
        open_browser(context) as browser,
        guestbook(context) as server,
        Server(context, module="todo", store=context.path("todo")) as other,
    ):
        address = f"http://127.0.0.1:{server.port}/sign"
        page = (
            f'<form method="post" action="{address}"><input name="who" value="Eve">'
            '<input name="said" value="Ha!"><button>Win a prize</button></form>'
        )
        browser.open("data:text/html," + urllib.parse.quote(page))
        browser.turn_page(browser.find("button").click)
        expect_equal(browser.url, address, "where the form leads")
        expect("403" in browser.text, f"the answer: {browser.text!r}")
        browser.visit(other)
        browser.console()
        browser.run(
            "return fetch(arguments[0], {method: 'POST', mode: 'no-cors',"
            " body: new URLSearchParams({who: 'Eve', said: 'Ha!'})}).then(() => 0)",
            address,
        )
        refusals = [each["message"] for each in browser.console() if address in each["message"]]
        expect("403" in " ".join(refusals), f"the console: {refusals}")
        browser.visit(server)
        expect_equal(entries(browser), [], "the book")


@test
def hostile_words_are_shown_and_never_run(context):
    with open_browser(context) as browser, guestbook(context) as server:
        for text in hostile.IN_TEXT:
            hostile.expect_runs(browser, f"<title>A page</title><p>{text}</p>")
        browser.visit(server)
        expected = []
        for text in (*hostile.IN_TEXT, *hostile.IN_ATTRIBUTE, *hostile.AS_THEY_ARE):
            who = text[:NAME_UNITS].strip()
            browser.put("[name=who]", who)
            browser.put("[name=said]", text)
            browser.turn_page(browser.find("button").click)
            expected.insert(0, [who, text])
            hostile.expect_harmless(browser)
            expect_equal(entries(browser), expected, "the book")
        browser.visit(server, "/views/entries")
        hostile.expect_harmless(browser)
        server.stop_clean()


@test
def all_that_fits_into_the_form_is_taken_and_fits_a_phone(context):
    """The form counts UTF-16 units and the module bytes."""
    with open_browser(context, phone=True) as browser, guestbook(context) as server:
        browser.visit(server)
        for letter in ("W", "語"):
            sign(browser, letter * (NAME_UNITS + 1), letter * (WORDS_UNITS + 20))
            expected = [letter * NAME_UNITS, letter * WORDS_UNITS]
            expect_equal(entries(browser)[0], expected, "the newest entry")
        widths = browser.run("return [innerWidth, document.documentElement.scrollWidth]")
        expect_equal(widths, [360, 360], "widths of the screen and of the page")
        server.stop_clean()


@test
def what_is_missing_or_too_long_is_said(context):
    with open_browser(context) as browser, guestbook(context) as server:
        browser.visit(server)
        before = commit(server)
        browser.find("[name=said]").type("Hello.")
        browser.find("button").click()
        expect_equal(browser.focused.property("name"), "who", "the field that is asked for")
        # A browser, or a program, that does not care about maxlength.
        browser.find("[name=who]").type("Ann")
        browser.put("[name=said]", "x" * (WORDS_BYTES + 1))
        browser.turn_page(browser.find("button").click)
        expect("said" in browser.text, f"the field is named: {browser.text!r}")
        browser.back()
        expect_equal(browser.find("[name=who]").property("value"), "Ann", "what was typed")
        expect_equal(commit(server), before, "saves")
        server.stop_clean()


@test
def a_full_book_says_so(context):
    with open_browser(context) as browser, guestbook(context) as server:
        with server.client() as client:
            client.send(client.text("POST", "/sign", b"who=Ann&said=Hi", FORM) * MOST_ENTRIES)
            statuses = {client.read().status for _ in range(MOST_ENTRIES)}
        expect_equal(statuses, {303}, "signing")
        browser.visit(server)
        expect_equal(len(entries(browser)), 20, "entries of the page")
        sign(browser, "Bob", "Me too.")
        expect("The book is full for now." in browser.text, f"the answer: {browser.text!r}")
        browser.back()
        expect_equal(entries(browser)[0], ["Ann", "Hi"], "the newest entry")


@test
def an_entry_is_there_after_a_kill(context):
    store = context.path("store")
    with open_browser(context) as browser:
        with guestbook(context, store=store) as server:
            browser.visit(server)
            sign(browser, "Ann", "Hello, world!")
            server.kill()
            port = server.port
        browser.reload()
        expect("ERR_CONNECTION_REFUSED" in browser.text, f"nobody there: {browser.text!r}")
        with guestbook(context, store=store, port=port) as server:
            browser.reload()
            expect_equal(entries(browser), [["Ann", "Hello, world!"]], "the book")
            sign(browser, "Bob", "Me too.")
            expect_equal(entries(browser), [["Bob", "Me too."], ["Ann", "Hello, world!"]], "later")
            server.stop_clean()


@test
def neither_back_nor_reload_signs_again(context):
    with open_browser(context) as browser, guestbook(context) as server:
        browser.visit(server)
        sign(browser, "Ann", "Hello, world!")
        sign(browser, "Bob", "Me too.")
        before = commit(server)
        for act in (browser.reload, browser.back, browser.reload, browser.forward, browser.reload):
            act()
            browser.expect_quiet()
        expect_equal(commit(server), before, "saves")
        expect_equal(entries(browser), [["Bob", "Me too."], ["Ann", "Hello, world!"]], "the book")
        server.stop_clean()


if __name__ == "__main__":
    main(__doc__)
