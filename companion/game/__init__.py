"""What a game is: `game` (the contract between rules and table) and what it speaks of: options, events, players, dice,
box, what cameras see (`seeing`, `readings/`), and the widgets that it draws with.

Knows nobody but `companion.words` and `companion.errors`. No game by name, no table, no camera.
"""
