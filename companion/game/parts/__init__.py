"""The parts of a game: `rules`, `pages`, `sight` (what cameras mean) and `box` (buttons and lights).

A game has to say its rules; `derived` makes from them whatever it leaves out, its pages by `made` and `taught`.
"""
