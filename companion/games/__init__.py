"""The games of this program, and what they share: `rulings`, `resting`, `seats`, `own_colours`.

`companion.shelf` has every game that can be played here, those of other packages as well.

A game knows no other game, no table, camera, page or button box. Its `rules` read no clock and draw nothing at random,
and no rule is decided on a page or by a reading: both only offer events that `rules` accepts.
"""
