"""The journal: entries and their hash chains, the database file and its copies, exported games, settings.

Nothing here decides what an entry means to a game; the fold in `companion.table` does.
"""
