"""The tasks of `hyperspace.tasks.go2` in the simulator Genesis, by the published names."""
