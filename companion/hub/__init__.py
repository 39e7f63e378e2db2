"""A hall: what a hub keeps of the games of many tables, and its tournaments.

`record` is the hub's database, `judging` plays each game again, `hall` knows the tables of this moment, and
`tournament` runs an evening. No table, no house, no pages, no network: whoever receives the letters brings those. Only
the roof and the hall's pages import this room.
"""
