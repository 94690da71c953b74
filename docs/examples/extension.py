"""An extension in one file: go back to an old generation now and then, and keep a journal.

    hyperspace pair --models offline/tinker offline/magpie --domain sortnet
      --extension "docs/examples/extension.py:Journal?every=3"

The contract is `hyperspace.kernel.generation.extension.Extension`: each method is asked at its
point of a generation, and what it does follows from its arguments alone.
"""

from msgspec import Struct

from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.candidate import Candidate
from hyperspace.kernel.generation.extension import Extension
from hyperspace.kernel.state.archive import Archive


class JournalOptions(Struct):
    """Every how many generations an old one is the parent."""

    every: int = 3


class Journal(Extension):
    """Chooses parents, adds a file to each workspace, and keeps a record."""

    name = "journal"
    Options = JournalOptions

    def choose_parent(self, attempt: Attempt, own: Archive, by_rule: int | None) -> int | None:
        """Go back to any valid generation, each as likely as the others."""
        if attempt.generation % self.options.every or by_rule is None:
            return None
        return attempt.stream(self.name).choice(own.in_sight.valid).generation

    async def workspace_files(
        self, attempt: Attempt, candidate: Candidate, own: Archive
    ) -> dict[str, bytes]:
        """Tell the agent which of its generations failed."""
        failed = [each.generation for each in own.in_sight.entries if not each.valid]
        return {"journal/failed.md": f"Generations that failed: {failed}\n".encode()}

    async def before_close(self, attempt: Attempt, candidate: Candidate, own: Archive) -> None:
        """Record how far back the parent lies."""
        if candidate.parent is not None:
            back, is_ours = candidate.generation - candidate.parent, bool(candidate.chosen_by)
            candidate.parts[self.name] = {"back": back, "chosen_here": is_ours}
