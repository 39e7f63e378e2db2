"""Names of people on pages: a browser that translates a page leaves them as they are, and no keyboard corrects them."""

import re
from functools import lru_cache

from flask import current_app, g, request
from markupsafe import Markup, escape

from companion.errors import CompanionError
from web.house import host

# The attributes of a field in which names are typed.
NAME_FIELD = Markup('autocomplete="off" autocorrect="off" autocapitalize="words" spellcheck="false" translate="no"')
NAMED = Markup('<bdi translate="no">{}</bdi>')
WHOLE = Markup("<span>{}</span>")
SCREEN = "screen"  # the pages of screen.py


def named(name: str) -> Markup:
    """A name as HTML."""
    return NAMED.format(name)


def with_names(sentence: str) -> Markup:
    """A sentence as HTML, with the names of the page's game kept in it."""
    names = names_here()
    if not names or not sentence:
        return escape(sentence)
    parts = _pattern(names).split(sentence)  # Every second part is a name.
    return Markup().join(named(part) if number % 2 else escape(part) for number, part in enumerate(parts))


def button_words(sentence: str) -> Markup:
    """The words of a button or a switch as HTML: one part of its row, also where there is a name among them."""
    words = with_names(sentence)
    return WHOLE.format(words) if words != escape(sentence) else words


def names_here() -> frozenset[str]:
    """The names in the game that this page shows; empty on pages of no game, and of one that cannot be read."""
    if "names" not in g:
        g.names = _names_of(_session_here())
    found: frozenset[str] = g.names
    return found


def _session_here() -> str | None:
    """The game in the page's address; on a screen, which has none there, the game that has the table."""
    if request.blueprint == SCREEN:
        return host().active.session
    found: str | None = (request.view_args or {}).get("session")
    return found


def _names_of(session: str | None) -> frozenset[str]:
    if session is None or "host" not in current_app.extensions:  # A hub has no house.
        return frozenset()
    try:
        table = host().table(session)
    except CompanionError:
        return frozenset()
    return frozenset(filter(None, (*table.names.values(), *table.stand_ins.values())))


@lru_cache(maxsize=64)
def _pattern(names: frozenset[str]) -> re.Pattern[str]:
    """The names as whole words, the longest first: "Ann Lee" is no "Ann"."""
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile(rf"(?<!\w)({'|'.join(map(re.escape, longest_first))})(?!\w)")
