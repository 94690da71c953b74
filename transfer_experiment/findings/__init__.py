"""A finding, the kinds of findings, and how a detector declares and registers one."""
