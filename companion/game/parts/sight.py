"""The sight of a game: what the cameras are to read, and what readings mean. A game without it is played by tap."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic

from companion.game.parts.derived import EventT, StateT, nothing
from companion.game.readings import Reading
from companion.game.seeing import Eyes, Proposed, Remark


@dataclass(frozen=True)
class Sight(Generic[StateT, EventT]):
    """What a game makes of pictures, each function pure.

    eyes        (state) → the readings that the cameras are to make
    propose     (state, reading) → the proposal or remark it leads to, or None; the reading may be of a kind that `eyes`
                no longer asks for, since the game goes on while cameras look
    glanced     (state, event, reading, at_us) → the same for the look that an event with `glance = True` asked for; the
                picture was taken at table time `at_us`, and later pictures do not count. None for the event: nobody
                asked, and `propose` has nothing, as the game may have gone on since
    """

    eyes: Callable[[StateT], Eyes] = lambda _state: Eyes(above=None)
    propose: Callable[[StateT, Reading], Proposed[EventT] | Remark | None] = nothing
    glanced: Callable[[StateT, EventT | None, Reading, int], Proposed[EventT] | Remark | None] = nothing
