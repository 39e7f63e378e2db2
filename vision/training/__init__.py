"""Makes the networks: drawn and path-traced pictures, photographs, training."""
