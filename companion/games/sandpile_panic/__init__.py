"""Sandpile Panic: piles of five topple, and islands count when sand leaves the board.

The rules: `rules` (start, apply, legal), `options`, `events`, `state`, `board` (piles and topples), `turns`, `islands`,
`scoring`. The outcomes of a turn: `advice`, with `outcomes`; `bench` times them. The pages: `pages`,
`entry` (drafts), `answers` (pages of advice), `drawing`, `standings`, `wording`. `camera` finds the play that explains
a reading, `interface` has lights and presets, `how_to` teaches the game.
"""

from dataclasses import replace

from companion.game.game import Box, Game, Pages, Sight, rules_of
from companion.games.sandpile_panic import answers, bench, camera, how_to, interface, pages, rules, standings, wording
from companion.words import N_

GAME: Game[rules.State, rules.Event, rules.Options] = Game(
    rules=replace(
        rules_of(rules),
        ranked=rules.ranked,
        begins=lambda state: state.order[0],
        round_of=lambda state: state.turns // len(state.players) + 1,
        first_seat="first_seat",
        colours=interface.colours,
        why_no_rest=N_("Nobody passes in Sandpile Panic: everybody places a piece on each of their turns."),  # SP-15
    ),
    pages=Pages(
        tagline=N_("Piles of five topple. Own the largest island when sand spills."),
        view=pages.view,
        describe=wording.describe,
        how_to=how_to.how_to,
        hint=how_to.hint,
        presets=interface.PRESETS,
        advice=answers.ADVICE,
        charts=standings.charts,
        benches={"sandpile": bench.figures},
    ),
    sight=Sight(eyes=camera.eyes, propose=camera.propose),
    box=Box(look=interface.look),
)
