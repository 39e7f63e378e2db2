"""The table companion: the core that every sensor, device and page stands on."""
