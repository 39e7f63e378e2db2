"""What a reader is told about the table, and where the camera stands over it. Never what lies on it."""
