"""The best generation scored again where new validation items begin."""
