"""`make rehearsal`: an evening of 24 people, six tables and five rounds, in which twelve things go wrong.

The hub and the tables are the real programs, on this machine; staff act by the pages that people tap, and each tap is
counted. A referee on paper (`paper`) keeps count of what really happened. In the end the hub's standings are the same,
no game is lost, and none counts twice.

An evening takes as long as people wait, so a minute of waiting is `programs.SHORTER` times shorter here: the hub's of
a silent table, the table's of a hub that is away, and the time between two copies. What is done meanwhile is the same.
"""
