"""How the networks are made: drawn and path-traced pictures, photographs, training."""
