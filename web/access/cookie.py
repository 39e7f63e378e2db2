"""A cookie with one word for each of a device's newest games.

A browser sends every cookie with every request, and a server limits the size of the headers: with one cookie a game a
tablet would be locked out after some hundred games.
"""

from typing import Literal

from flask import request
from werkzeug.wrappers import Response as AnyResponse

AGE_S = 60 * 60 * 24 * 30
LONGEST = 3000  # characters: browsers keep 4096 bytes of a cookie, and the server reads 8190 bytes of all


def words(cookie: str) -> dict[str, str]:
    """Session → word in this cookie of the request, the newest last."""
    pairs = (part.partition(":") for part in request.cookies.get(cookie, "").split("|"))
    return {session: word for session, _colon, word in pairs if word}


def keep(answer: AnyResponse, cookie: str, session: str, word: str, samesite: Literal["Lax", "Strict"] = "Lax") -> None:
    """Sets the session's word in the cookie of the device that gets this answer; "" removes it. The oldest words give
    way.
    """
    known = words(cookie)
    if known.pop(session, "") == word == "":
        return
    parts = [f"{one}:{its}" for one, its in (*known.items(), (session, word)) if its]
    while len("|".join(parts)) > LONGEST:
        del parts[0]
    answer.set_cookie(cookie, "|".join(parts), max_age=AGE_S, samesite=samesite, httponly=True)
