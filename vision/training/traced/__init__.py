"""Labelled pictures made by path tracing."""
