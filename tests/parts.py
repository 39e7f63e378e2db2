"""Parts of a table that a test brings in place of cameras and box."""

from dataclasses import replace


def connect(host, **parts):
    """The house has these parts from now on, by the names of `Outside`."""
    host.outside = host.active.outside = replace(host.outside, **parts)
