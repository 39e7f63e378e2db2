"""What can be printed: cards and sheets, true to scale."""
