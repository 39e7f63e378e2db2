"""Reads stacks of blocks from the front: what stands, of which blocks, and whether two are the same."""
