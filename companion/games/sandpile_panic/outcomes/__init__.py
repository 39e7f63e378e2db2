"""The machinery behind `advice`: `search` finds what a turn can lead to, `ranking` compares what it found."""
