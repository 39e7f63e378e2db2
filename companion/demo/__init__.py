"""The demo's physical table as plain values: dice, board, boxes, blocks, and who moves them.

It draws nothing: `vision.virtual` makes pictures of it. It knows no rules.
"""
