"""A headless Chromium of the test's own, driven by chromedriver; both end with the test."""

import contextlib
import os
import re
import select
import shutil
import signal
import subprocess
import time

from harness import Failure, Skip, expect_equal, say, wait_until
from webdriver import Session, WebDriverError

START_SECONDS = 30
ANSWER_SECONDS = 60
PAGE_SECONDS = 20

_PROGRAMS = ("chromium", "chromedriver")
_ARGUMENTS = (
    "--headless",
    "--window-size=800,600",
    # Its own sandbox can not be had as root, or within the sandbox of a test. The pages are ours.
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",  # it may be small, or not there
    # Nothing is asked of the world.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    "--no-proxy-server",
)
# It begins with an empty page: its own takes its time, and speaks on the console.
_PREFERENCES = {"session.restore_on_startup": 4, "session.startup_urls": ["about:blank"]}
# When the page began (W3C High Resolution Time): no two have the same.
_BEGUN = "return performance.timeOrigin"
_PHONE = {"deviceMetrics": {"width": 360, "height": 640, "pixelRatio": 2, "mobile": True}}


class Browser(Session):
    """A session, and what the tests do with pages."""

    def visit(self, server, path="/", host="127.0.0.1"):
        self.open(f"http://{host}:{server.port}{path}")

    def turn_page(self, act):
        """Does what leads to another page, or to this one anew, and waits until it is there."""
        begun = self.run(_BEGUN)
        act()
        wait_until(lambda: self.run(_BEGUN) != begun, PAGE_SECONDS, "another page")

    def put(self, selector, text):
        """Makes it the value of a field, however long it is, and without a key press."""
        self.run("document.querySelector(arguments[0]).value = arguments[1]", selector, text)

    @property
    def text(self):
        """All that is seen."""
        return self.find("body").text

    def expect_quiet(self):
        """No dialog is open, and the console has said nothing since it was asked last."""
        expect_equal(self.dismiss_alert(), None, "a dialog")
        # A browser asks for an icon by itself, and an app need not have one.
        said = [each for each in self.console() if "/favicon.ico" not in each["message"]]
        expect_equal(said, [], "the console")


@contextlib.contextmanager
def open_browser(context, phone=False):
    """A Browser, for the time of a `with`. `phone`: a small touch screen.

    A test that fails leaves a screenshot, and the console's words.
    """
    with _chromedriver(context) as port:
        browser = Browser(port, _capabilities(context, phone), ANSWER_SECONDS)
        try:
            yield browser
        except BaseException:
            _keep_what_is_seen(context, browser)
            raise
        finally:
            try:
                browser.quit()
            except WebDriverError as error:
                say(f"the browser does not quit: {error}")


@contextlib.contextmanager
def _chromedriver(context):
    """Gives its port. At the end it is killed, with every process of its group."""
    missing = [name for name in _PROGRAMS if not shutil.which(name)]
    if missing:
        raise Skip(f"there is no {' and no '.join(missing)} here")
    home = context.path("browser")
    os.makedirs(home)
    with open(context.path("chromedriver.log"), "wb") as log:
        driver = subprocess.Popen(
            ["chromedriver", "--port=0"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            env={**os.environ, "HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home},
            start_new_session=True,
        )
    try:
        yield _read_port(driver.stdout.fileno())
    finally:
        os.killpg(driver.pid, signal.SIGKILL)  # not waited for, so its number is still its own
        driver.wait()
        driver.stdout.close()


def _read_port(descriptor):
    end = time.monotonic() + START_SECONDS
    text = ""
    while not (told := re.search(r"started successfully on port (\d+)", text)):
        ready, _, _ = select.select([descriptor], [], [], max(0, end - time.monotonic()))
        chunk = os.read(descriptor, 4096) if ready else b""
        if not chunk:
            raise Failure(f"chromedriver does not start: {text!r}")
        text += chunk.decode(errors="replace")
    return int(told[1])


def _capabilities(context, phone):
    options = {
        "binary": shutil.which("chromium"),
        "args": [*_ARGUMENTS, f"--user-data-dir={context.path('browser/profile')}"],
        "prefs": _PREFERENCES,
    }
    if phone:
        options["mobileEmulation"] = _PHONE
    return {
        "browserName": "chrome",
        "goog:chromeOptions": options,
        "goog:loggingPrefs": {"browser": "ALL"},
    }


def _keep_what_is_seen(context, browser):
    """For the reader of the log; in a Bazel test the picture is an undeclared output."""
    folder = os.environ.get("TEST_UNDECLARED_OUTPUTS_DIR", context.directory)
    path = os.path.join(folder, f"{context.name}.png")
    try:
        say(f"the browser is at {browser.url}; its console: {browser.console()}")
        with open(path, "wb") as file:
            file.write(browser.screenshot())
        say(f"what it shows: {path}")
    except (WebDriverError, OSError) as error:
        say(f"nothing of the page can be kept: {error}")
