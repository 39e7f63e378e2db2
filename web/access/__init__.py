"""Who asks, and whether they may: before each route, and by game and entry."""
