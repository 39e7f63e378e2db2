"""Reads loaded trucks and the boxes left over beside them. Scores nothing."""
