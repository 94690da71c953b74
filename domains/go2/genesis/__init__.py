"""The tasks of `domains.go2` in the simulator Genesis, under the names of the published ones."""
