"""What a device keeps of its newest games, a word for each, all in one cookie.

A browser sends every cookie with every request, and a server reads only so much before it: one cookie a game would shut
a tablet out after some hundred games.
"""

from typing import Literal

from flask import request
from werkzeug.wrappers import Response as AnyResponse

AGE_S = 60 * 60 * 24 * 30
LONGEST = 3000  # letters of one such cookie: browsers keep 4096 bytes of one, the server reads 8190 of all


def words(cookie: str) -> dict[str, str]:
    """Session → its word, the newest last."""
    pairs = (part.partition(":") for part in request.cookies.get(cookie, "").split("|"))
    return {session: word for session, _colon, word in pairs if word}


def keep(answer: AnyResponse, cookie: str, session: str, word: str, samesite: Literal["Lax", "Strict"] = "Lax") -> None:
    """The device that gets this answer keeps `word` for the session, "" nothing; the oldest ones give way."""
    known = words(cookie)
    if known.pop(session, "") == word == "":
        return
    parts = [f"{one}:{its}" for one, its in (*known.items(), (session, word)) if its]
    while len("|".join(parts)) > LONGEST:
        del parts[0]
    answer.set_cookie(cookie, "|".join(parts), max_age=AGE_S, samesite=samesite, httponly=True)
