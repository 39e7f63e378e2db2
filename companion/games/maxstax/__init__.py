"""Parts that SPEEDSTAX, SAMESTAX and SWAPSTAX share; no game of its own.

The rules: `timer` (a round and its times), `play` (the effect of each event), `events`, `options`, `stack_off`.
`round_view` shows a round and reads the buttons, `wording` describes events, `camera` judges readings, `how_to` has
what newcomers to any of the three need. What one of the three alone needs, a card's points or a swap, belongs to that
game.
"""
