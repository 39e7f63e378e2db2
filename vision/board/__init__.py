"""Reads a board of squares: colour and height of each, and which play explains two pictures."""
