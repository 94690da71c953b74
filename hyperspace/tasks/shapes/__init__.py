"""Shapes of tasks beyond rows with labels: protocols beside `hyperspace.tasks.base.Domain`."""
