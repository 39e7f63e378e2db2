"""Reads a board of squares: the colour and height of each pile, and the play that explains two pictures."""
