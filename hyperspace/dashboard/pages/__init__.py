"""What pages show, computed: the frame around them, addresses, code, calls, pictures."""
