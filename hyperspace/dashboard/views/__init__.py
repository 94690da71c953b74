"""What people look at: a file for each view, all of them named in `registry`."""
