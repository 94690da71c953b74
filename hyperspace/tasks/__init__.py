"""Domains: tasks with sealed labels. `base.Domain` is the seam, `registry.load` finds one."""
