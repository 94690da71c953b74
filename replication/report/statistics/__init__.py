"""Statistics of few runs, exact where few runs make approximations wrong. Pure functions."""
