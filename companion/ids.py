"""The form of ids: of sessions, players, entries, events, questions and people, wherever one comes in."""

import re
from typing import Annotated

from msgspec import Meta

EVERY = "*"  # No id can be this.
ID = "[0-9A-Za-z_-]{1,64}"  # It is safe as a part of a URL's path: never "." or "..".
WHOLE = re.compile(ID)
SCHEMA_PATTERN = {"pattern": f"^{ID}$"}  # In Python "$" would also match before a final line end.

Id = Annotated[str, Meta(pattern=rf"\A{ID}\Z", extra_json_schema=SCHEMA_PATTERN)]


def is_id(text: str) -> bool:
    """Whether `text` has the form of an id."""
    return WHOLE.fullmatch(text) is not None
