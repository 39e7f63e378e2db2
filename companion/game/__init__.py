"""What a game is: `game` (the contract between rules and table) and what it speaks of.

`options`, `events` (what their classes say), `players`, `dice` (for the statistics), `box` (buttons, lights),
`seeing` (what cameras read and what that means), `readings`, `widgets` and `charts` (what a page shows), `sheets`
(what can be printed), `figures` (what can be measured). Knows nobody but `companion.words` and `companion.errors`: no
game by name, no table.
"""
