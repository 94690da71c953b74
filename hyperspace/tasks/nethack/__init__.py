"""NetHack by the step, whole (nle) and in small levels (minihack), told as text."""
