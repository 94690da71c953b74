"""Pages, figures, tables of text and curves of scores, for every command that reports on runs."""
