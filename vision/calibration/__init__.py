"""Setting a camera up: where it stands over the printed mat, and whether that is good enough.

Nothing here runs during a game: what it finds is saved in the scene.
"""
