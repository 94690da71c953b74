"""Runs packed to be given away: redaction, retention, manifests of files."""
