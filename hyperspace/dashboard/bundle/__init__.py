"""Pages of one run as files, which can be sent, kept and opened without a server."""
