"""Language models behind one seam: `base.Model`, found by name with `resolve.resolve`."""
