"""Environments in C or C++: each domain's lie in a trusted child process, not in the run's."""
