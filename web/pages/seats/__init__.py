"""Who sits where: which player a device plays for, and what changes at the seats of a running game."""
