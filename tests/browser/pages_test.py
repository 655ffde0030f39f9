"""Other pages in a real browser: the poll, the links, and the server's own graphs."""

from browser import PAGE_SECONDS, open_browser
from harness import expect, expect_equal, main, test, wait_until
from server import Server

FORM = [("Content-Type", "application/x-www-form-urlencoded")]


@test
def votes_are_shown_as_bars(context):
    with open_browser(context) as browser, Server(context, module="poll") as server:
        browser.visit(server)
        for choice in ("coffee", "tea", "coffee"):
            browser.find(f"[value={choice}]").click()
            browser.turn_page(browser.find("button").click)
        expect_equal([each.text for each in browser.find_all("dt")], ["coffee", "tea"], "choices")
        bars = [each.property("position") for each in browser.find_all("progress")]
        expect_equal(bars, [2 / 3, 1 / 3], "shares")
        browser.expect_quiet()
        server.stop_clean()


@test
def a_link_leads_on_and_is_counted(context):
    """To another server, by 303."""
    with (
        open_browser(context) as browser,
        Server(context, module="links") as server,
        Server(context, module="guestbook", store=context.path("guestbook")) as other,
    ):
        target = f"http://127.0.0.1:{other.port}/"
        added = server.request("POST", "/inputs/add", f"name=book&to={target}".encode(), FORM)
        expect_equal(added.status, 200, "adding")
        browser.visit(server)
        browser.turn_page(browser.find("button").click)
        expect_equal((browser.url, browser.title), (target, "Guestbook"), "where it leads")
        browser.back()
        browser.reload()
        expect("1 times" in browser.text, f"the list: {browser.text!r}")
        browser.turn_page(browser.find(f"a[href='{target}']").click)
        expect_equal(browser.url, target, "the address itself")
        browser.expect_quiet()


@test
def the_graphs_of_the_server_are_drawn(context):
    with open_browser(context) as browser, Server(context, module="counter") as server:
        browser.visit(server, "/-/")
        lines = "return document.querySelectorAll('figure path[d*=L]').length"
        wait_until(lambda: browser.run(lines) == 8, PAGE_SECONDS, "a line in each graph")
        expect("1 thread(s)" in browser.text, f"what is said of the server: {browser.text!r}")
        browser.expect_quiet()
        server.kill()
        wait_until(
            lambda: "The server does not answer." in browser.text, PAGE_SECONDS, "it says so"
        )


if __name__ == "__main__":
    main(__doc__)
