"""`companion bench`: the project's own figures, measured anew.

What measures lives here, never in what is measured.
"""
