"""Which truck card lies in which place of a mat while players finish loading, one after the other."""

from collections.abc import Mapping, Sequence
from typing import Any


def cards_in_places(cards: Sequence[Mapping[str, Any]], places: int) -> tuple[Mapping[str, Any], ...]:
    """The card in each place, from the left.

    cards       as a game knows them, in the order in which they get a place; "finished" says as which of them (1, 2 …)
                its player finished, and is absent while that player loads

    A place stays one player's, so that no truck that lies there stands for another's. Only who has finished gives it
    up, and only to somebody who waits for a place.
    """
    lying = list(range(min(places, len(cards))))
    waiting = list(range(len(lying), len(cards)))
    finished = [number for number, card in enumerate(cards) if card.get("finished")]
    for number in sorted(finished, key=lambda each: cards[each]["finished"]):
        if number in waiting:
            waiting.remove(number)
        elif waiting:
            lying[lying.index(number)] = waiting.pop(0)
    return tuple(cards[number] for number in lying)
