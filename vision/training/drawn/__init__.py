"""Labelled pictures made by drawing. No network learns here."""
