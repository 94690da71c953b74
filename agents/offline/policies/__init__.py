"""Offline policies that improve code, one a file."""
