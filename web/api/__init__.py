"""The REST API: its routes, what it takes and gives as types, and its document."""
