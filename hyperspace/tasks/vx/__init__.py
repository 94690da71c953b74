"""Write programs for a small vector machine that does several operations a cycle."""
