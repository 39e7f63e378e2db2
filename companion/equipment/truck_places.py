"""The truck card in each place of a mat while players finish loading, one after the other."""

from collections.abc import Mapping, Sequence
from typing import Any


def cards_in_places(cards: Sequence[Mapping[str, Any]], places: int) -> tuple[Mapping[str, Any], ...]:
    """The card in each place, from the left.

    cards       in the order in which they get a place; "finished" is the position (1, 2 …) at which the card's player
                finished loading, and is absent until then

    A player keeps a place, so that no truck is taken for another player's. Only a player who has finished gives it up,
    and only to a player who waits for a place.
    """
    placed = list(range(min(places, len(cards))))
    waiting = list(range(len(placed), len(cards)))
    finished = [number for number, card in enumerate(cards) if card.get("finished")]
    for number in sorted(finished, key=lambda card_number: cards[card_number]["finished"]):
        if number in waiting:
            waiting.remove(number)
        elif waiting:
            placed[placed.index(number)] = waiting.pop(0)
    return tuple(cards[number] for number in placed)
