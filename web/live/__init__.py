"""The event stream: one connection a page, resumable, all of them on one thread."""
