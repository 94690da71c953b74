"""The frame around pages and their small parts, beside those of `hyperspace.reporting.page`."""
