"""The sandbox in which code passed its gates, and in which it goes on to answer."""
