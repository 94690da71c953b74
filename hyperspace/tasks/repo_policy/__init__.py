"""Repository policy: the task of repository quality, decided by a record of bounded numbers."""
