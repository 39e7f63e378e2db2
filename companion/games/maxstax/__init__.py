"""What the three MaxStax games share: the timer, the stack-off, and how they look on a tablet."""
