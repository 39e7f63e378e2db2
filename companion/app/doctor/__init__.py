"""`companion doctor`: each part of a table is tried, and what to do is said where one fails."""
