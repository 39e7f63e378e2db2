"""The language of a page: the one chosen on this device, else the browser's, else the house's."""

import json
from collections.abc import Callable
from typing import Any

from flask import Flask, current_app, request
from markupsafe import Markup

from companion import words

COOKIE = "language"  # The switch in a page's head sets it.
LEAST_PERCENT = 50  # A language that is less than half done is shown to nobody who hasn't chosen it.
# These are the words for a marked cell.
MARKS = {"crossed": words.N_("crossed"), "new": words.N_("new"), "group": words.N_("group")}


def prepare(app: Flask) -> None:
    """Sets the language for each request, and gives templates `_("…")` and the like."""
    for code in words.languages():
        words.menu_name(code)  # read now: it is also there if the disk fails later
    app.before_request(choose)
    app.teardown_request(forget)
    app.jinja_env.globals |= {
        "_": words._,
        "_n": words._n,
        "_p": words._p,
        "_html": html,
        "language": words.language,
        "languages": words.languages,
        "MARKS": MARKS,
        "menu_name": words.menu_name,
        "translated": words.translated,
        "tablet_words": tablet_words,
    }
    app.jinja_env.filters |= {
        "number": words.number,
        "date": words.date,
        "listed": words.listed,
        "either": words.either,
        "colour_word": words._,
    }


def choose() -> None:
    """Sets the language of this request."""
    words.speak(language_wanted())


def forget(_error: BaseException | None) -> None:
    """Resets the thread's language after a request."""
    words.speak(words.ENGLISH)


def language_wanted() -> str:
    """The language that this request asks for."""
    languages = words.languages()
    chosen = request.cookies.get(COOKIE, "")
    if chosen in languages:
        return chosen
    usual: Callable[[], str] = current_app.extensions["usual language"]
    ready = [code for code in languages if words.translated(code).percent >= LEAST_PERCENT]
    return request.accept_languages.best_match(ready) or usual()


def html(message: str, **values: Any) -> Markup:
    """A message with HTML tags in it; its values are escaped."""
    return Markup(words._(message)).format_map({name: words.retold(value) for name, value in values.items()})


def tablet_words() -> str:
    """The messages of the page's scripts as JSON, for `words.js`."""
    return json.dumps(words.tablet_words(), ensure_ascii=False, separators=(",", ":"))
