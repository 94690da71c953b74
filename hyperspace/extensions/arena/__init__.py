"""The turns of an arena: a tester's cases, what a solver is told, how a child differs."""
