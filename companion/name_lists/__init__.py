"""Lists of names as people, spreadsheets, chats and old programs write them.

`files` tells the letters of a file, `sources` takes a list out of what wraps it, `cells` makes rows of it, `headings`
knows the words of headings, `writing` which way names are written, and `reader` says which names a person would
understand. Nothing here counts, and nothing is left out, before somebody was shown it.
"""
