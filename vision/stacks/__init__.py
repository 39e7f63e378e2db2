"""Reads stacks of dice from above: the top die, and how high it lies. Finding dice is for `vision.dice`."""
