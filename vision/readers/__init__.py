"""All readers by kind: how each is called, drawn, and compared over time. A new reader is entered here.

How a reader reads is in the room of its own.
"""
