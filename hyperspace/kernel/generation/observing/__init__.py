"""What is seen of a modification from outside: what was read, listed and written, and when."""
