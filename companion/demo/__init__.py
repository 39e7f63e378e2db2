"""The demo's physical table as plain values: dice, board, boxes and blocks, and the hands that move them.

Nothing here draws: `vision.virtual` makes pictures of the table. Nothing here knows rules.
"""
