"""Benches that need a checkout: the readers on drawn or labelled pictures, and a hall of simulated tables."""
