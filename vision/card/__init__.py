"""Reads which card lies face up."""
