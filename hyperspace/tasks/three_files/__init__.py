"""A task in three files: what is asked, a first solution, and a benchmark that prints a figure."""
