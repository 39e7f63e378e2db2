"""What a game is: the contract between rules and table, the widgets it draws with, the readings it is given.

Knows nobody but `companion.words` and `companion.errors`. No game by name, no table, no camera.
"""
