"""Grading answers to olympiad problems, from a folder of published data."""
