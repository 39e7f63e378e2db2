"""The table's name, addresses, certificate and https in the local network.

Nobody's games and no pages.
"""
