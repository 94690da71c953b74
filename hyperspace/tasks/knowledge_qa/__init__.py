"""Questions about a knowledge base of one's own, graded by a judge along a rubric of facts."""
