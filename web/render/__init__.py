"""Drawing: widgets to HTML, forms, charts, languages, and the static files. Knows no route and no ticket."""
