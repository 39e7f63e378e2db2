"""Eyes of the table: cameras, settling, and the readers of dice."""
