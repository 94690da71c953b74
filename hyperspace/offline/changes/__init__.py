"""Generic changes of training code, each wherever its anchor stands; none knows a task."""
