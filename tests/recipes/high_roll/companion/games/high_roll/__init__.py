"""High Roll: one die each in turn, whoever first has enough points wins.

`rules` is the rulebook, `interface` what pages, cameras and lights mean, `how_to` teaches it.
"""

from companion.games.high_roll import interface, rules
from companion.games.high_roll.how_to import how_to
from companion.games.high_roll.rules import EVENTS, MOST_PLAYERS, Event, Options, State

from companion.game.game import Game
from companion.words import N_

GAME: Game[State, Event, Options] = Game(
    name="high_roll",
    title="High Roll",
    tagline=N_("One die each in turn: have enough points first."),
    seats=(1, MOST_PLAYERS),
    options=Options,
    events=EVENTS,
    start=rules.start,
    why_no_rest=N_("Everybody rolls in turn in High Roll, and nobody passes."),
    awaiting=rules.awaiting,
    legal=rules.legal,
    apply=rules.apply,
    score=rules.score,
    explain=rules.explain,
    is_over=rules.is_over,
    winners=rules.winners,
    describe=interface.describe,
    view=interface.view,
    how_to=how_to,
    look=interface.look,
    propose=interface.propose,
    thrown=interface.thrown,
    presets=interface.PRESETS,
)
