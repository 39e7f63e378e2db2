"""Browsers other than Chromium, driven by what their makers give for it: one small language over two wires.

WebKit's driver hears W3C WebDriver over HTTP, Firefox the same commands over a socket (Marionette).
"""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

Ask = Callable[[str, Mapping[str, Any]], Any]  # a command's name and its parameters → its answer
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # how WebDriver names a reference to an element
PATIENCE_MS = 20_000
WIDTH, HEIGHT = 1024, 1400  # tall enough that nothing has to be scrolled to
PATHS = {
    "SetWindowRect": "window/rect",
    "SetTimeouts": "timeouts",
    "Navigate": "url",
    "FindElement": "element",
    "ElementClick": "element/{id}/click",
    "ElementClear": "element/{id}/clear",
    "ElementSendKeys": "element/{id}/value",
}
MINI_BROWSERS = ("*/webkit2gtk-4.1/MiniBrowser", "*/webkit2gtk-4.0/MiniBrowser", "*/webkitgtk-6.0/MiniBrowser")


class PageLeft(Exception):
    """A page went away while something was looked for in it."""


class Driver:
    """One browser window. Whatever is looked for is waited for."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        ask("SetWindowRect", {"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT})
        ask("SetTimeouts", {"implicit": PATIENCE_MS, "pageLoad": 3 * PATIENCE_MS, "script": PATIENCE_MS})

    def go(self, url: str) -> None:
        """Opens a page."""
        self._ask("Navigate", {"url": url})

    def find(self, xpath: str) -> str:
        """The first element there, once there is one."""
        found = self._ask("FindElement", {"using": "xpath", "value": xpath})
        return cast(str, found[ELEMENT])

    def tap(self, xpath: str) -> None:
        """Clicks it, once it is there."""
        self._ask("ElementClick", {"id": self.find(xpath)})

    def type(self, xpath: str, text: str) -> None:
        """Replaces what a field holds."""
        element = self.find(xpath)
        self._ask("ElementClear", {"id": element})
        self._ask("ElementSendKeys", {"id": element, "text": text})


# WebKit


def mini_browser() -> Path | None:
    """WebKitGTK's own small browser, where the distribution put it."""
    return next((found for each in MINI_BROWSERS for found in Path("/usr/lib").glob(each)), None)


def has_webkit() -> bool:
    return bool(shutil.which("WebKitWebDriver") and shutil.which("Xvfb") and mini_browser())


@contextlib.contextmanager
def webkit() -> Iterator[Driver]:
    """WebKitGTK on a screen that nobody sees."""
    with screen() as display, free_port() as port:
        surroundings = {**os.environ, "DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1"}
        with process(["WebKitWebDriver", f"--port={port}"], surroundings):
            wait_for_port(port)
            options = {"binary": str(mini_browser()), "args": ["--automation"]}
            wanted = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}
            address = f"http://127.0.0.1:{port}/session"
            session = f"{address}/{posted(address, wanted)['sessionId']}"

            def ask(command: str, values: Mapping[str, Any]) -> Any:
                path = f"{session}/{PATHS[command].format(**values)}"
                try:
                    return posted(path, values)
                except PageLeft:
                    return posted(path, values)  # it was looking at a page that has given way to the next

            try:
                yield Driver(ask)
            finally:
                urllib.request.urlopen(urllib.request.Request(session, method="DELETE")).close()


def posted(url: str, body: Mapping[str, Any]) -> Any:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=4 * PATIENCE_MS / 1000) as answer:
            return json.loads(answer.read())["value"]
    except urllib.error.HTTPError as refusal:
        with refusal:
            text = refusal.read().decode()
        if "unload event" in text:
            raise PageLeft(text) from None
        raise AssertionError(f"{body}: {text}") from None


@contextlib.contextmanager
def screen() -> Iterator[str]:
    """The name of a display in memory."""
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-nolisten", "tcp"]
    with process(command, dict(os.environ), pass_fds=(write,)):
        os.close(write)
        with os.fdopen(read) as number:
            yield f":{number.readline().strip()}"


# Firefox


def firefox_program() -> str | None:
    return shutil.which("firefox-esr") or shutil.which("firefox")


@contextlib.contextmanager
def firefox(profile: Path) -> Iterator[Driver]:
    """Firefox without a window, with a profile of its own."""
    with free_port() as port:
        (profile / "user.js").write_text(f'user_pref("marionette.port", {port});\n', encoding="utf-8")
        command = [str(firefox_program()), "--headless", "--marionette", "--no-remote", "--profile", str(profile)]
        with process(command, {**os.environ, "HOME": str(profile)}):
            wait_for_port(port)
            with socket.create_connection(("127.0.0.1", port), timeout=4 * PATIENCE_MS / 1000) as line:
                stream = line.makefile("rwb")
                heard(stream)  # it says what it is

                def ask(command: str, values: Mapping[str, Any]) -> Any:
                    message = json.dumps([0, 1, f"WebDriver:{command}", values]).encode()
                    stream.write(b"%d:%s" % (len(message), message))
                    stream.flush()
                    _, _, error, result = heard(stream)
                    assert error is None, error
                    return result["value"] if isinstance(result, dict) and set(result) == {"value"} else result

                ask("NewSession", {})
                yield Driver(ask)
                stream.close()


def heard(stream: Any) -> Any:
    """The next message: its length in digits, a colon, JSON."""
    digits = b""
    while (one := stream.read(1)) != b":":
        assert one, "the browser hung up"
        digits += one
    return json.loads(stream.read(int(digits)))


# processes


@contextlib.contextmanager
def process(command: list[str], surroundings: dict[str, str], pass_fds: tuple[int, ...] = ()) -> Iterator[None]:
    """A program that runs as long as it is needed."""
    running = subprocess.Popen(
        command, env=surroundings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=pass_fds
    )
    try:
        yield
    finally:
        running.terminate()
        try:
            running.wait(timeout=10)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


@contextlib.contextmanager
def free_port() -> Iterator[int]:
    """A port nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = int(found.getsockname()[1])
    yield port


def wait_for_port(port: int) -> None:
    """Until somebody listens there."""
    command = ["bash", "-c", f"until exec 3<>/dev/tcp/127.0.0.1/{port}; do sleep 0.1; done"]
    subprocess.run(command, check=True, timeout=2 * PATIENCE_MS / 1000, stderr=subprocess.DEVNULL)
