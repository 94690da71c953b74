"""Programs of workers that take advice."""
