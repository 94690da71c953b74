"""Levels of one budget side by side: what each idea of self-improvement adds, paired by seed."""
