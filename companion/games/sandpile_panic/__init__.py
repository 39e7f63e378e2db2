"""Sandpile Panic: rules.py is the rulebook, interface.py how it looks, advice.py what a turn may lead to."""
