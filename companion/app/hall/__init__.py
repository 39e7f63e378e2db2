"""`companion hub`: gathers the games of many tables, shows the hall, and brings a broker and a demo of five tables."""
