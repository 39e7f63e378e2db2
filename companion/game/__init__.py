"""The contract between a game and the table: `game`, and the values that it uses.

`options`, `events` (traits of event classes), `players`, `dice` (for the statistics), `box` (buttons and lights),
`seeing` (a game's requests to the cameras and its answers to readings), `readings`, `widgets` and `charts` (parts of
a page), `how_to` (what newcomers need), `sheets` (score sheets), `figures` (measurements). Imports only
`companion.words` and `companion.errors`: it knows no game by name, and no table.
"""
