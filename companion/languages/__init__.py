"""The catalogues of every language but English, a folder each; `messages` brings them up to date with the code.

English stands in the code. No sentence is written here by hand but translations, and no code chooses a language here.
"""
