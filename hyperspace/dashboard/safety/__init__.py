"""Who may ask, and what a browser may do with the answer: checked before any route."""
