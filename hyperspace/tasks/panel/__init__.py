"""Many small independent yes/no rules with planted defects: a task on which sharing can matter."""
