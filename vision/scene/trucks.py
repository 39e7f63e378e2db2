"""The places of a game's truck cards: each lies in the middle of its own truck zone of the mat."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from companion.equipment.truck_places import cards_in_places
from companion.errors import BadInput
from companion.words import _, _n, listed
from vision.scene.file import CORNERS, objects, rim_of

# The smallest box and a square of our printed cards have this side, unless the scene says otherwise.
USUAL_UNIT_MM = 12.0
CARD_MM = 0.3  # A card is so thick.


def with_trucks(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The scene fields with "trucks" (corners in mm) and "rolls" in place of "truck_cards" (as a game knows them).

    The rolls of trucks that are still loaded come first. Cards without a zone on the mat are left out and not looked
    at. Raises BadInput for a mat without truck zones.
    """
    others = {name: value for name, value in fields.items() if name != "truck_cards"}
    cards = fields.get("truck_cards")
    if not cards:
        return others
    unit_mm = float(fields.get("unit_mm") or USUAL_UNIT_MM)
    zones = truck_zones(fields)
    on_mat = cards_in_places(cards, len(zones))
    trucks = [place_card(card, zone, unit_mm) for card, zone in zip(on_mat, zones, strict=False)]
    trucks.sort(key=lambda truck: bool(truck.get("finished")))
    beside_mat = [card for card in cards if not any(card is truck for truck in on_mat)]
    rolls = [card["rolled"] for card in (*trucks, *beside_mat) if "rolled" in card]
    return {**others, "unit_mm": unit_mm, "trucks": trucks, **({"rolls": rolls} if rolls else {})}


def truck_zones(fields: Mapping[str, Any]) -> list[Any]:
    """Corners in mm of the mat's truck zones, from the left; raises BadInput for a mat without one."""
    zones = [
        rim_of("a zone for a truck", zone, CORNERS)
        for zone in objects("zones", fields.get("zones") or [])
        if zone.get("kind") == "truck"
    ]
    if not zones:
        raise BadInput(_("The mat has no place for trucks. Print one that does, and set the camera up with it."))
    return zones


def truck_words(fields: Mapping[str, Any]) -> str:
    """The sentence that says which truck belongs where, or "" if there is none or none has a number."""
    cards = fields.get("truck_cards") or ()
    on_mat = cards_in_places(cards, len(truck_zones(fields))) if cards else ()
    numbers = [str(card["number"]) for card in on_mat if "number" in card]
    if not numbers:
        return ""
    return _n(
        "The camera sees the table. Put truck {numbers} on the mat.",
        "The camera sees the table. Put trucks {numbers} on the mat, left to right.",
        len(numbers),
        numbers=listed(numbers),
    )


def place_card(card: Mapping[str, Any], corners_mm: Sequence[Sequence[float]], unit_mm: float) -> dict[str, Any]:
    """A card with its loading area in the middle of a zone and parallel to it."""
    zone = np.array(corners_mm, np.float64)[:, :2]
    middle = zone.mean(axis=0)
    right = (zone[1] - zone[0]) / np.linalg.norm(zone[1] - zone[0])
    near = (zone[3] - zone[0]) / np.linalg.norm(zone[3] - zone[0])
    across, along = right * card["columns"] * unit_mm / 2, near * card["rows"] * unit_mm / 2
    corners = (middle - across - along, middle + across - along, middle + across + along, middle - across + along)
    corner_lists = [[round(float(x), 3), round(float(y), 3), CARD_MM] for x, y in corners]
    return {**card, "cell_mm": unit_mm, "area_corners_mm_tl_tr_br_bl": corner_lists}
