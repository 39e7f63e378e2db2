"""Pages of the network: the Wi-Fi that the table is in, and the certificate by which devices trust it."""
