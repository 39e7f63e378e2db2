"""How the dice reader's networks are made: rendered scenes, photographs, training."""
