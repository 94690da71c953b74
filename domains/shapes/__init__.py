"""Shapes of tasks beyond rows with labels: optional protocols beside `domains.base.Domain`."""
