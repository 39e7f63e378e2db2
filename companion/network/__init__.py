"""The table's name, addresses, certificate and https in the local network.

Nothing here knows games or pages.
"""
