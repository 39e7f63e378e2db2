"""The program that serves a table: its parts and their lifetimes, the camera processes, systemd, MQTT.

Only this package and `companion.cli` may import every other.
"""
