"""A table in a hall: what the staff there say to it, and it to them."""
