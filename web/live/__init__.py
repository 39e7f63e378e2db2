"""Event streams: one connection a page, resumable, without a thread for each. Draws nothing."""
