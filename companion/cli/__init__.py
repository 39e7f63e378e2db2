"""The commands, one file each. They may import every other package; none but `companion.__main__` imports them.

A command reads its arguments, calls and prints; what it does is in the room that it calls.
"""
