"""Makes the networks: drawn and path-traced pictures, photographs, training.

Nothing that runs at a table imports it.
"""
