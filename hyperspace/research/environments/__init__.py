"""Research environments: a repository, its budget, and the sealed evaluation of what it leaves."""
