"""What a table hands to a hub, which gathers the games of many tables: packed, signed, and checked when it arrives.

It knows games as the journal does. No table, no house, no network, no file: whoever sends or stores brings those.
"""
