"""Offline policies that improve code, and one that plays a script."""
