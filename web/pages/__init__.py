"""The pages, one module a subject. What a game looks like comes from its `view`."""
