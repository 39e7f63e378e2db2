"""Watching: waits until the table rests, reads it then, and tells falls at once. Opens no camera."""
