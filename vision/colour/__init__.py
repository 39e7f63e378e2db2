"""Names of colours under the light there is."""
