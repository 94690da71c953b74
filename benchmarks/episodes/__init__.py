"""Figures that the domains with episodes need, measured once and kept in their folders."""
