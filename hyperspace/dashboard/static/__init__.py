"""Styles and scripts of ours, as they are sent."""
