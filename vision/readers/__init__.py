"""All readers by what they read: how each is called, drawn, and compared over time. A new reader is entered here."""
