"""Reads a board of squares: the colour and height of each pile, and the play that explains two pictures.

Whether such a play is allowed is for the game to say.
"""
