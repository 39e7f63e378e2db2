"""The commands, one file each.

A command reads its arguments, calls and prints. The room that it calls does the work.
"""
