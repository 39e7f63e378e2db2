"""Things on the table that games share and readers know: cards and blocks, truck cards and their places, mats.

Data and geometry alone. No rules of a game, no picture, no file of this table.
"""
