"""All readers by kind: how each is called, drawn, and compared over time. A new reader is entered here."""
