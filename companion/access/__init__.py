"""Who may do what in this house: tickets for devices, and the ways to one (codes of the wall, one-time links, the PIN).

No HTTP: `web/access` asks here. The machine itself needs no ticket.
"""
