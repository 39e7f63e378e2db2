"""The program that serves a table: what runs beside the pages, the camera processes, systemd, MQTT.

With `companion.cli` the only room that may know everybody.
"""
