"""Reads dice: finds them, reads their faces, names their colours. Whose they are is for the game to say."""
