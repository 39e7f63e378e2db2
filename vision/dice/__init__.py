"""Reads dice: finds them, reads their faces, names their colours."""
