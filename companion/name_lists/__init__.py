"""Lists of names as people and spreadsheets write them.

`cells` makes rows of a file, `headings` knows the words of headings, and `reader` says which names a person would
understand. Nothing here counts before somebody was shown it.
"""
