"""The event stream: one connection a page, resumable, none with a thread of its own."""
