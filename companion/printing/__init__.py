"""Printing: cards and sheets, true to scale."""
