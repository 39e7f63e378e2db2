"""Reads stacks of blocks from the front: what stands, of which blocks, and whether two are the same.

Who built it, and when, is for the game to say.
"""
