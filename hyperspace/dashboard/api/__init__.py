"""What the pages show, as JSON: a file for each part, all endpoints named in `registry`."""
