"""The table's own Wi-Fi: a network `table-setup` for choosing the house's, while the table is in no network.

`companion wifi serve` runs as a helper beside the service, as root without any capability: it alone may tell
NetworkManager what to do, and does nothing but what `door.Do` lists. The service asks it through a socket. `keeper`
decides, `nmcli` speaks with NetworkManager, `profiles` writes its files, `door` is the socket, `card` what people read.
"""
