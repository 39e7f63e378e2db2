"""What the forms of tournaments send, read and checked."""

import re
from collections.abc import Iterable

from flask import request

from companion.errors import BadInput
from companion.hub.tournament.events import Form, Ranks
from companion.words import _

FORM_ID = re.compile(r"[0-9a-f]{8,64}")


def read_form() -> Form:
    """The form of a tournament that was chosen; raises BadInput."""
    try:
        return Form(request.form.get("form", ""))
    except ValueError as error:
        raise BadInput(_("Choose how the tournament goes from round to round.")) from error


def read_number(name: str, usual: int | None = None) -> int:
    """A whole number of the form, from 0 to 999,999; raises BadInput. `usual` stands for an empty place."""
    text = request.form.get(name, "").strip()
    if not text and usual is not None:
        return usual
    if not (text.isascii() and text.isdigit() and len(text) < 7):
        raise BadInput(_("A number is missing, or isn't one. Type it again."))
    return int(text)


def read_ranks(seats: Iterable[str]) -> Ranks:
    """The places that were chosen for these players; raises BadInput where one is missing."""
    places: dict[int, list[str]] = {}
    for entrant in seats:
        places.setdefault(read_number(entrant), []).append(entrant)
    return tuple(tuple(places[place]) for place in sorted(places))
