"""Deleting a game for good: its rows in every journal of the data folder, and finishing that after a kill.

A person is deleted by `companion.house.erasure`, whose games stay.
"""
