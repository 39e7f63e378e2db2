"""The table companion: the core under every sensor, device and page."""
