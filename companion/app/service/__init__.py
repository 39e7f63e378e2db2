"""A running table: its parts and their lifetimes, the camera processes, systemd, MQTT."""
