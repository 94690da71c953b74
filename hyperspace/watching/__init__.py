"""Following a run from another process: what it tells, and how that is shown.

`Follower` reads the run's folder and returns events; a `Board` adds them up to the present state;
a view shows both. None of them writes, holds a lease, or keeps the space open between two looks.
"""
