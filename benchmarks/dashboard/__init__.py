"""What the pages of the dashboard cost."""
