"""The command line: what a person types, and what it prints."""
