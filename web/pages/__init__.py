"""The pages, one module a subject. A game's own widgets come from its `view`."""
