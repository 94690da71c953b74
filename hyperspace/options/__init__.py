"""What a person may ask of a run: launch options, each declared once, and the terms of arms."""
