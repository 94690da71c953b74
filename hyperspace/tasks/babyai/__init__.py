"""Grid-world missions in words, after BabyAI: turn, go, pick up, drop, toggle."""
