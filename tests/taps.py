"""What a tap does to the draft of a page, as `web/static/draft.js` does it."""

from collections.abc import Mapping
from typing import Any

from companion.game.widgets import Tap


def after(draft: Mapping[str, str], *taps: Tap[Any]) -> dict[str, str]:
    """The draft after these taps, one after the other: each sets fields, and adds a word to others."""
    changed = dict(draft)
    for tap in taps:
        added = {name: ",".join(filter(None, (changed.get(name), word))) for name, word in tap.adds.items()}
        changed = {name: value for name, value in {**changed, **tap.draft, **added}.items() if value}
    return changed
