"""The facts about the table that readers are given, and the camera's place over it. Never what lies on it."""
