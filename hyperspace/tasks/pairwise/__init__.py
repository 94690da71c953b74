"""Choose the better of two generated answers: a labelled stand-in for preferences of people."""
