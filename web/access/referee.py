"""The referee of a locked game: one device holds a key, and only that device corrects, takes back and rules.

In a game that is not locked everybody at the table may do so, and everybody sees who did.
"""

from flask import redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.table.table import Table
from web.access import cookie, gate
from web.house import host

HEADER = "X-Referee-Key"  # for scripts; a browser has the cookie
COOKIE = "referee"


def key_held(session_id: str) -> str:
    """The referee's key that this device sends, "" if it has none."""
    return request.headers.get(HEADER) or cookie.by_session(COOKIE).get(session_id, "")


def appoint(answer: AnyResponse, session_id: str, key: str) -> None:
    """Makes the device that gets this answer the referee's."""
    cookie.put_for_session(answer, COOKIE, session_id, key, samesite="Strict")


def key_given(table: Table) -> str:
    """The key for the device that begins or imports a locked game, "" if the game was here already."""
    if not table.session.locked:
        return ""
    if is_referee(table):
        return key_held(table.session.id)  # The request was repeated.
    return host().referees.appointed(table, gate.device())


def begun(table: Table) -> AnyResponse:
    """A redirect to a new game's sheet; the device that begins or imports a locked game becomes its referee."""
    answer = redirect(url_for("pages.sheet_page", session=table.session.id), 303)
    if key := key_given(table):
        appoint(answer, table.session.id, key)
    return answer


def is_referee(table: Table) -> bool:
    """Whether this device may correct and rule."""
    key = key_held(table.session.id)
    return not table.session.locked or (bool(key) and host().referees.is_key(table.session.id, key))
