"""What is kept: entries and their hashes, the file they lie in, its copies, exported games, settings.

Nothing here decides what an entry means to a game; that is the fold's, in `companion.table`.
"""
