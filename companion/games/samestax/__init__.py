"""SAMESTAX: rules.py is the rulebook, interface.py how it looks."""
