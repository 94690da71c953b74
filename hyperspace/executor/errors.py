"""What can go wrong with where jobs run.

Errors::

    ExecutorError               jobs cannot run where they are to run; the message says what to do
    ├── ExecutorUsageError      what is asked for does not fit there (exit code 2)
    └── ExecutorUnavailable     a library, a cluster or a node is missing; the same command goes on
    TryLost                     one try at a job was lost, and the job is not to blame so far
    ├── WorkerEnded             the process that played it ended before it answered
    └── MachineFailed           its machine went away
        └── MachineUnfit        its machine is full, or cannot do its part
"""


class ExecutorError(Exception):
    """Jobs cannot run where they are to run."""


class ExecutorUsageError(ExecutorError):
    """What is asked for does not fit with where jobs run."""


class ExecutorUnavailable(ExecutorError):
    """A library, a cluster or a node is missing."""


class TryLost(Exception):
    """One try at a job was lost."""


class WorkerEnded(TryLost):
    """The process that played a job ended before it answered: by the job, or by its machine."""


class MachineFailed(TryLost):
    """The machine that played a job went away, or cannot do its part."""


class MachineUnfit(MachineFailed):
    """The machine that played a job is full, or cannot do its part: another one may."""
