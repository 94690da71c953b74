"""What a report is shown as: tables, lines for a terminal, figures, parts of pages."""
