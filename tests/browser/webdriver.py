"""A client of W3C WebDriver (https://www.w3.org/TR/webdriver2/): one session and its elements.

A description begins with the name of its section there. A driver's refusal is a WebDriverError.
"""

import base64
import http.client
import json

# Elements: the name of the member that holds an element's reference.
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"

# Keyboard actions: keys by their code points.
ENTER, TAB = "\ue007", "\ue004"


class WebDriverError(Exception):
    """Errors: what the driver could not do. `code` is the specification's name for it, or
    `no answer`."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code


class Session:
    """A browser with one window.

    It begins here, and ends with `quit`. `seconds`: the longest that an answer may take.
    """

    def __init__(self, port, capabilities, seconds):
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
        self._path = ""
        # New Session.
        value = self._call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self._path = f"/session/{value['sessionId']}"

    def quit(self):
        """Delete Session: the browser ends."""
        try:
            self._call("DELETE", "")
        finally:
            self._connection.close()

    # Navigation: each returns when the page has loaded.

    def open(self, url):
        self._call("POST", "/url", {"url": url})

    def back(self):
        self._call("POST", "/back", {})

    def forward(self):
        self._call("POST", "/forward", {})

    def reload(self):
        self._call("POST", "/refresh", {})

    @property
    def url(self):
        return self._call("GET", "/url")

    @property
    def title(self):
        return self._call("GET", "/title")

    # Element retrieval, by selectors of CSS.

    def find(self, selector):
        """The first one; WebDriverError `no such element` if there is none."""
        return self._element(self._call("POST", "/element", _by_css(selector)))

    def find_all(self, selector):
        return [self._element(each) for each in self._call("POST", "/elements", _by_css(selector))]

    @property
    def focused(self):
        """Get Active Element."""
        return self._element(self._call("GET", "/element/active"))

    def _element(self, value):
        return Element(self, value[_ELEMENT])

    def run(self, script, *arguments):
        """Execute Script: the value that the function body `script` returns."""
        return self._call("POST", "/execute/sync", {"script": script, "args": arguments})

    def dismiss_alert(self):
        """User prompts: closes what alert(), confirm() or prompt() shows, and gives its text.

        None: nothing was open.
        """
        try:
            text = self._call("GET", "/alert/text")
        except WebDriverError as error:
            if error.code == "no such alert":
                return None
            raise
        self._call("POST", "/alert/dismiss", {})
        return text

    def screenshot(self):
        """Take Screenshot: a PNG."""
        return base64.b64decode(self._call("GET", "/screenshot"))

    def console(self):
        """What the console said since it was asked last: {level, source, message} each.

        No part of the standard: chromedriver keeps it when asked for by `goog:loggingPrefs`.
        """
        return self._call("POST", "/se/log", {"type": "browser"})

    def _call(self, method, path, body=None):
        """Protocol: one command; gives the `value` of its answer."""
        text = None if body is None else json.dumps(body)
        fields = {"Content-Type": "application/json; charset=utf-8"} if text else {}
        try:
            self._connection.request(method, self._path + path, text, fields)
            answer = self._connection.getresponse().read()
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()  # the next command gets a new one
            raise WebDriverError("no answer", repr(error)) from error
        value = json.loads(answer)["value"]
        if isinstance(value, dict) and "error" in value:
            raise WebDriverError(value["error"], value["message"])
        return value


class Element:
    """An element of the page that its session shows, until that leaves it."""

    def __init__(self, session, reference):
        self._session = session
        self._reference = reference

    def _call(self, method, path, body=None):
        return self._session._call(method, f"/element/{self._reference}{path}", body)

    def click(self):
        """Element Click: with the pointer, in the middle of what is seen of it."""
        self._call("POST", "/click", {})

    def type(self, text):
        """Element Send Keys: a key press for each character, behind what is there."""
        self._call("POST", "/value", {"text": text})

    @property
    def text(self):
        """Get Element Text: as it is seen."""
        return self._call("GET", "/text")

    @property
    def label(self):
        """Get Computed Label: the name by which a screen reader calls it."""
        return self._call("GET", "/computedlabel")

    def property(self, name):
        """Get Element Property."""
        return self._call("GET", f"/property/{name}")


def _by_css(selector):
    return {"using": "css selector", "value": selector}
