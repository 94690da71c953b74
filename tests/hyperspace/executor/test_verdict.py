"""What is said of a job of which every try was lost."""

import pytest

from hyperspace.executor.errors import MachineFailed, MachineUnfit, TryLost, WorkerEnded
from hyperspace.executor.queue import verdict


@pytest.mark.parametrize(
    ("losses", "state"),
    [
        ([WorkerEnded("a")] * 3, "failed"),
        ([WorkerEnded("a"), WorkerEnded("b"), MachineFailed("c")], "lost"),
        ([MachineFailed("c")] * 3, "lost"),
        ([MachineUnfit("d")] * 3, "lost"),
        ([WorkerEnded("a")], "lost"),
    ],
)
def test_a_job_that_ended_three_workers_has_failed_and_fewer_are_its_machines(
    losses: list[TryLost], state: str
) -> None:
    outcome = verdict(losses)
    assert outcome.state == state
    assert str(losses[-1]) in outcome.reason
