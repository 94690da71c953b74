"""Circles of any radii in a rectangle: as much radius as there is room for."""
