"""What was found, for people and for tools: lines, JSON, CSV, a page."""
