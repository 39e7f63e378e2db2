"""Labelled pictures made by path tracing. No network learns here."""
