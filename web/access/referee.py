"""The referee of a locked game: one device holds a secret, and only it corrects, takes back and rules.

In a game that is not locked everybody at the table may do so, and everybody sees who did what.
"""

from flask import redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.table.table import Table
from web.access import cookie as kept
from web.access import gate
from web.house import host

HEADER = "X-Referee-Key"  # for scripts; a browser has the cookie
COOKIE = "referee"  # the secrets of the newest games


def key_held(session_id: str) -> str:
    """The secret this device sends, "" when it has none."""
    return request.headers.get(HEADER) or kept.words(COOKIE).get(session_id, "")


def appoint(answer: AnyResponse, session_id: str, key: str) -> None:
    """Makes the device that gets this answer the referee's."""
    kept.keep(answer, COOKIE, session_id, key, samesite="Strict")


def key_given(table: Table) -> str:
    """The secret for who begins or imports a locked game, "" for who only asks for one that is here already."""
    if not table.session.locked:
        return ""
    if is_referee(table):
        return key_held(table.session.id)  # a repeated request: nothing new
    return host().referees.appointed(table, gate.device())


def begun(table: Table) -> AnyResponse:
    """The way to a new game's sheet; who begins or imports a locked one is its referee."""
    answer = redirect(url_for("pages.sheet_page", session=table.session.id), 303)
    if key := key_given(table):
        appoint(answer, table.session.id, key)
    return answer


def is_referee(table: Table) -> bool:
    """Whether this device may correct and rule."""
    key = key_held(table.session.id)
    return not table.session.locked or (bool(key) and host().referees.is_key(table.session.id, key))
