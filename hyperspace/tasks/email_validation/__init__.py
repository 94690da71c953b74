"""Tell valid e-mail addresses from invalid ones by a written specification."""
