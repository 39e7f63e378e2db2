"""Labelled pictures made by drawing."""
