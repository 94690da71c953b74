"""What a run came to, and the best code of it: files that are made when it ends."""
