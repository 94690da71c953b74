"""A generation while it is being made; it becomes a manifest when it is published."""

from collections.abc import Iterable
from typing import Any

from evolution.manifest import ErrorClass, Manifest, SplitResult, Violation
from evolution.marks import hashes
from evolution.said import said
from evolution.sight import Sight
from evolution.team import Participant, Team
from guards.content.secrets import mask_secrets
from guards.edit_scope import EditScope
from guards.gates import GateResult
from guards.ingest import Change, Ingest

GATES = ("compile", "import", "signature", "smoke")


class Draft:
    """What is known so far of a generation in the making.

    Attributes:
        code: Path to text of the editable files, as of now.
    """

    def __init__(
        self,
        agent: str,
        generation: int,
        parent: int | None,
        code: dict[str, str],
        seen: tuple[str, ...],
    ) -> None:
        self.agent = agent
        self.generation = generation
        self.parent = parent
        self.code = code
        self.seen = seen
        self.error = ""
        self.error_class: ErrorClass = ""
        self.gates: dict[str, str] = {}
        self.violations: tuple[Violation, ...] = ()
        self.splits: dict[str, SplitResult] = {}

    @classmethod
    def fork(cls, team: Team, who: Participant, generation: int, sight: Sight) -> "Draft":
        """Start from the parent's code, or from the seed for generation 0."""
        parent = team.archives[who.name].parent(team.config.fallback)
        if generation == 0:
            return cls(who.name, 0, None, dict(team.seed_code), ())
        if parent is None:
            # Not even the seed passed its gates: there is nothing better to fork.
            return cls(who.name, generation, 0, dict(team.seed_code), sight.mark_ids)
        code = team.marks.code(who.name, parent.generation)
        return cls(who.name, generation, parent.generation, code, sight.mark_ids)

    @property
    def valid(self) -> bool:
        """Whether nothing has failed so far."""
        return not self.error

    def fail(self, error_class: ErrorClass, error: str) -> None:
        """Record why this generation is not valid; the first reason stays."""
        if not self.error:
            self.error_class, self.error = error_class, said(error)

    def take_in(self, taken: Ingest, scope: EditScope) -> None:
        """Take the code that came out of the workspace, and what the guard refused of it.

        Args:
            taken: What ingest let in.
            scope: What may have changed; the rest of the code stays as it was.
        """
        frozen = {path: text for path, text in self.code.items() if not scope.permits(path)}
        came = {path: data.decode() for path, data in sorted(taken.files.items())}
        self.code = frozen | came
        refused = [change for change in taken.changes if change.verdict == "reverted"]
        self.violations = tuple(map(_violation, refused))

    def take_gate(self, result: GateResult) -> None:
        """Record how far the gates were passed."""
        failed = None if result.passed else result.gate
        for gate in GATES:
            if failed in (gate, "passed"):  # to fail at "passed" is a forged answer
                self.gates[gate] = "failed"
                self.fail("candidate", f"{gate} gate: {result.error}")
                return
            self.gates[gate] = "passed"

    def manifest(
        self, team: Team, calls: tuple[dict[str, Any], ...], refused: Iterable[Violation]
    ) -> Manifest:
        """Close the books; marks written are added when they are.

        Args:
            team: Whose run this is.
            calls: Model calls in canonical form.
            refused: What the broker refused.
        """
        return Manifest(
            agent=self.agent,
            generation=self.generation,
            parent=self.parent,
            code=hashes(self.code),
            valid=self.valid,
            error=self.error,
            error_class=self.error_class,
            gates=self.gates,
            violations=(*self.violations, *refused),
            splits=self.splits,
            fitness=self._fitness(team),
            seen=self.seen,
            written=(),
            calls=calls,
        )

    def _fitness(self, team: Team) -> float:
        val = self.splits.get("val")
        return team.domain.fitness(val.score) if self.valid and val is not None else 0.0


def _violation(change: Change) -> Violation:
    return Violation(
        topic="edit-scope",
        what=f"{change.kind} {change.path}",
        path=change.path,
        verdict=change.verdict,
        reason=change.reason,
        evidence={
            "sha256_before": change.sha256_before,
            "sha256_after": change.sha256_after,
            "diff": mask_secrets(change.diff),
        },
    )
