"""`companion bench`: measures the project's own figures.

All code that measures is here, none in the code that is measured.
"""
