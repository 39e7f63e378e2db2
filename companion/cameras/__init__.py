"""The cameras themselves: their names on the command line, their set-up, a live view on a page, and what a camera is
shown once: the cards of a bought deck, the colours of a player's dice.

No OpenCV and no process: commands go to the vision process, and what it sends comes back. What cameras bring to a game
that runs is `companion.sensing`. No page.
"""
