"""Reads coins: bright discs on a dark table."""
