"""What an arena is made of, whoever plays: cases judged, the live suite, scores, who falls."""
