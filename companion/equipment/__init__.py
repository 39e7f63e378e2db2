"""Equipment that games share and readers know: cards and blocks, truck cards and their places, mats.

Only data and geometry: no rules of a game, no picture, no file of this table.
"""
