"""Twenty exercises: a statement, a drawer of cases and a reference each."""
