"""labels.json, which stands beside the pictures of a bench and says what they show."""

import json
from pathlib import Path
from typing import Any

from companion.errors import BadInput


def read_labels(folder: Path) -> Any:
    """What is written there, decoded and not yet looked at; raises BadInput with one sentence."""
    try:
        return json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"The labels of {folder} cannot be read ({error.strerror}): name another folder.") from error
    except (ValueError, RecursionError) as error:  # no UTF-8, no JSON, a number of thousands of digits
        raise BadInput(f"The labels of {folder} are no JSON: write labels.json again.") from error


def read_images(folder: Path) -> dict[str, Any]:
    """The labels as an object with `images`, each of which names its file."""
    known = read_labels(folder)
    if not isinstance(known, dict) or not are_entries(known.get("images"), "file"):
        raise BadInput(f"The labels of {folder} are of another kind: an object with images is needed.")
    return known


def read_dice(folder: Path) -> list[dict[str, Any]]:
    """The labels as a list of photographs, each with its `image` and its `dice`."""
    known = read_labels(folder)
    if not are_entries(known, "image") or not all(are_objects(entry.get("dice")) for entry in known):
        raise BadInput(f"The labels of {folder} are of another kind: a list of photographs with their dice is needed.")
    entries: list[dict[str, Any]] = known
    return entries


def are_entries(value: object, name: str) -> bool:
    """Whether it is a list of objects that each have a name, and not an empty one."""
    if not isinstance(value, list) or not value or not are_objects(value):
        return False
    return all(isinstance(entry.get(name), str) for entry in value)


def are_objects(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)
