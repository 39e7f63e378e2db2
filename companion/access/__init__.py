"""Who may do what in this house: tickets for devices, and the ways to get one (wall codes, one-time links, short
codes for either, the PIN).

No HTTP: `web/access` asks here. The machine itself needs no ticket.
"""
