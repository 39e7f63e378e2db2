"""What an id may be: of sessions, players, entries, events, questions and people, wherever one comes in."""

import re
from typing import Annotated

from msgspec import Meta

ID = "[0-9A-Za-z_-]{1,64}"  # a part of an address as it stands, which "." and ".." are not
WHOLE = re.compile(ID)
SHOWN = {"pattern": f"^{ID}$"}  # as a JSON schema says it; to Python "$" comes before a last line end, too

Id = Annotated[str, Meta(pattern=rf"\A{ID}\Z", extra_json_schema=SHOWN)]


def is_id(text: str) -> bool:
    """Whether `text` may be an id."""
    return WHOLE.fullmatch(text) is not None
