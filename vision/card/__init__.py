"""Reads which card lies face up. What the card means is for the game to say."""
