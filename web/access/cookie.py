"""The cookies of a device: its ticket, and others that hold a value for each of its newest games.

A browser sends all its cookies with every request, and a server limits the size of the headers: with one cookie for
each game, a tablet would be locked out after some hundred games.
"""

from typing import Literal

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from companion.access.tickets import TICKET_DAYS

AGE_S = TICKET_DAYS * 24 * 60 * 60
ENCRYPTED = "__Host-"  # prefix of the name of a cookie that is set over https
ENCRYPTED_BELOW = "__Secure-"  # Below a path browsers refuse __Host-.
LONGEST = 3000  # letters of a cookie for games: browsers keep 4096 bytes of one

SameSite = Literal["Lax", "Strict"]


def value_of(cookie: str) -> str:
    """The value of a cookie that a device sends, "" for none. Over https the one that was set there comes first."""
    encrypted = request.cookies.get(encrypted_name(cookie)) if request.is_secure else None
    return request.cookies.get(cookie, "") if encrypted is None else encrypted


def put(answer: AnyResponse, cookie: str, value: str, samesite: SameSite) -> None:
    """Sets a cookie with this answer. One that is set over https is never sent unencrypted.

    It has a name of its own, for a browser refuses to replace a secure cookie over http (RFC 6265bis).
    """
    name = encrypted_name(cookie) if request.is_secure else cookie
    answer.set_cookie(
        name, value, max_age=AGE_S, path=path(), samesite=samesite, httponly=True, secure=request.is_secure
    )


def encrypted_name(cookie: str) -> str:
    """The name of a cookie that is set over https."""
    return (ENCRYPTED_BELOW if request.script_root else ENCRYPTED) + cookie


def path() -> str:
    """Where a cookie counts: below the path at which a proxy serves the table, so that tables beside it have theirs."""
    return f"{request.script_root}/"


def by_session(cookie: str) -> dict[str, str]:
    """Session → its value in a cookie for games, the newest last."""
    pairs = (part.partition(":") for part in value_of(cookie).split("|"))
    return {session: value for session, _colon, value in pairs if value}


def put_for_session(answer: AnyResponse, cookie: str, session: str, value: str, samesite: SameSite = "Lax") -> None:
    """Sets the session's value in a cookie for games, or deletes it if `value` is ""; the oldest ones give way."""
    values = by_session(cookie)
    if values.pop(session, "") == value == "":
        return
    parts = [f"{of_session}:{its}" for of_session, its in (*values.items(), (session, value)) if its]
    while len("|".join(parts)) > LONGEST:
        del parts[0]
    put(answer, cookie, "|".join(parts), samesite)
    if request.is_secure and cookie in request.cookies:
        answer.delete_cookie(cookie, path())  # its values are in the one for https now
