"""Reference sums of radii of `packing`, measured with linear programs."""
