"""One running game: the one door for events, the fold, corrections, history, and what falls due by the clock.

No web, no camera, no people of the house.
"""
