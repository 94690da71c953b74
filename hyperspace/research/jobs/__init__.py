"""From a diff to a score: gates, the job, the frozen evaluation."""
