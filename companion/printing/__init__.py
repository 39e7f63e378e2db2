"""Printing: mats, cards and sheets, true to scale.

No rules, no camera, no table that plays.
"""
