"""What the three MaxStax games share: the timer, the stack-off, the deck of cards, and how they look on a tablet."""
