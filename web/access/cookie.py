"""The cookies of a device: its ticket, and in a second one a word for each of its newest games.

A browser sends every cookie with every request, and a server limits the size of the headers: with one cookie a game a
tablet would be locked out after some hundred games.
"""

from typing import Literal

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from companion.access.tickets import TICKET_DAYS

AGE_S = TICKET_DAYS * 24 * 60 * 60
ENCRYPTED = "__Host-"  # before the name of a cookie that is given over https
LONGEST = 3000  # letters of one such cookie: browsers keep 4096 bytes of one, the server reads 8190 of all

SameSite = Literal["Lax", "Strict"]


def shown(cookie: str) -> str:
    """The value of a cookie that a device sends, "" for none: over https the one that it got there, if any."""
    encrypted = request.cookies.get(ENCRYPTED + cookie) if request.is_secure else None
    return request.cookies.get(cookie, "") if encrypted is None else encrypted


def put(answer: AnyResponse, cookie: str, value: str, samesite: SameSite) -> None:
    """The device that gets this answer keeps `value` as this cookie; over https it is never sent in the clear.

    There it has a name of its own: a browser would take none of the same name over http from then on (RFC 6265bis).
    """
    name = ENCRYPTED + cookie if request.is_secure else cookie
    answer.set_cookie(name, value, max_age=AGE_S, samesite=samesite, httponly=True, secure=request.is_secure)


def words(cookie: str) -> dict[str, str]:
    """Session → its word, the newest last."""
    pairs = (part.partition(":") for part in shown(cookie).split("|"))
    return {session: word for session, _colon, word in pairs if word}


def keep(answer: AnyResponse, cookie: str, session: str, word: str, samesite: SameSite = "Lax") -> None:
    """The device that gets this answer keeps `word` for the session, "" nothing; the oldest ones give way."""
    known = words(cookie)
    if known.pop(session, "") == word == "":
        return
    parts = [f"{one}:{its}" for one, its in (*known.items(), (session, word)) if its]
    while len("|".join(parts)) > LONGEST:
        del parts[0]
    put(answer, cookie, "|".join(parts), samesite)
    if request.is_secure and cookie in request.cookies:
        answer.delete_cookie(cookie)  # it is in the encrypted one now, and both would be too long for one request
