"""Records of attempts: a recorded run that is replayed, and what offline policies really did."""
