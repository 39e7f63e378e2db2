"""From widgets to HTML, and the static files beside them. Knows no route and no ticket."""
