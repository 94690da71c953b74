"""What the loop asks of the levels `loop` and `feedback`."""

from contextlib import suppress

from hyperspace.extensions.levels.reviewing import review_try
from hyperspace.extensions.levels.worker import worker_files
from hyperspace.kernel.errors import BudgetSpent
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.candidate import Candidate
from hyperspace.kernel.generation.extension import Extension
from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.manifest import Manifest


class WorkerAndReviewer(Extension):
    """The prompt of a worker, and after its try what a reviewer says of it."""

    async def workspace_files(
        self, attempt: Attempt, candidate: Candidate, own: Archive
    ) -> dict[str, bytes]:
        """Return the worker's prompt."""
        return worker_files(attempt, candidate, own)

    def metadata(self, manifest: Manifest) -> dict[str, object]:
        """Return the reviewer's advice, if there is any."""
        return {} if manifest.advice is None else {"advice": manifest.advice}

    async def before_close(self, attempt: Attempt, candidate: Candidate, own: Archive) -> None:
        """Let the reviewer speak of a try, at level `feedback`."""
        is_reviewed = attempt.solo is not None and attempt.solo.level == "feedback"
        if is_reviewed and candidate.generation > 0 and not attempt.is_given_up:
            with suppress(BudgetSpent):  # a try that nobody can review is done all the same
                await review_try(attempt, candidate, own)
