"""Who may do what in this house: tickets for devices, and the ways to get one (wall codes, one-time links, the PIN).

No HTTP: `web/access` asks here. The machine itself needs no ticket.
"""
