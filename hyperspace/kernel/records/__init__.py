"""Records of attempts: a recorded run that is replayed."""
