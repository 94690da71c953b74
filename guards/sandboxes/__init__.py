"""Sandboxes behind one seam: bubblewrap (warm and cold), Docker, a plain process."""
