"""The catalogues of every language but English, a folder each; `messages` brings them up to date with the code.

English stands in the code.
"""
