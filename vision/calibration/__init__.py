"""Setting a camera up: where it stands over the printed mat, and whether that is good enough."""
