"""Names of colours under the light there is. Knows no piece and no reader."""
