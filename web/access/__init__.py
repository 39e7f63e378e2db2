"""Who sends a request and whether they may: checked before each route, then by game and entry. Draws no page."""
