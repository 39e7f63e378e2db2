"""What a picture of a die means to Pig."""

from companion.game.dice import D6, Throw, Thrown
from companion.game.players import Viewer
from companion.game.readings import DiceReading, Kind, Reading
from companion.game.seeing import Eyes, Proposed, Remark
from companion.words import _
from pig_game.rules import Event, Options, Rolled, State, next_player


def eyes(state: State) -> Eyes:
    return Eyes(above=Kind.DICE if next_player(state) else None)


def propose(state: State, reading: Reading) -> Proposed[Event] | Remark | None:
    player = next_player(state)
    if not player or not isinstance(reading, DiceReading) or not (reading.dice or reading.unread):
        return None
    if len(reading.dice) + len(reading.unread) != 1:
        return Remark(_("Pig is played with one die. Take the others away, or tap what you rolled."))
    return Proposed(Rolled(player, reading.dice[0].value if reading.dice else 1), ("value",))


def thrown(event: Event, _options: Options) -> tuple[Thrown, ...]:
    return (Thrown("die", D6, event.value),) if isinstance(event, Rolled) else ()


def throw(state: State, viewer: Viewer) -> Throw[Event] | None:
    player = next_player(state)
    if not player or viewer.player not in (None, player):
        return None
    return Throw((D6,), lambda values: Rolled(player, values[0]))
