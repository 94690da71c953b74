"""What views and answers both are made from, read for one question."""
