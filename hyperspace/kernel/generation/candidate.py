"""A generation while it is being made; it becomes a manifest when it is published."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from guards.content.secrets import mask_secrets
from guards.gates import GateResult
from guards.scope.edit_scope import EditScope
from guards.scope.ingest import Ingest
from hyperspace.kernel.evaluation.attempt_log import item_label
from hyperspace.kernel.files import text_hashes
from hyperspace.kernel.generation.run_context import Participant, RunContext
from hyperspace.kernel.generation.visible_strategies import VisibleStrategies, shown_generations
from hyperspace.kernel.printable_error import printable_error
from hyperspace.kernel.state.archive import ArchiveEntry
from hyperspace.kernel.state.manifest import (
    Choosing,
    ErrorClass,
    Manifest,
    Role,
    SplitResult,
    Violation,
)
from hyperspace.kernel.state.steering.records import RaisedNeed

GATES = ("compile", "import", "signature", "smoke")


class Chosen(NamedTuple):
    """A parent, and how it was found.

    Attributes:
        parent: None where no generation is valid.
        choosing: What the agent's own code had to say; None where it was not asked.
        by: Name of the extension that chose it; empty where none did.
    """

    parent: ArchiveEntry | None
    choosing: Choosing | None = None
    by: str = ""


class Candidate:
    """A generation in the making, as far as it has come.

    Attributes:
        code: Path to text of the editable files, as of now.
        role: What it is among several candidates; empty where it is the only one.
        history: Which generations of its own the agent sees.
        forked_from: Generation whose code it started from; None for generation 0.
        chosen_by: Name of the extension that chose its parent; empty where none did.
        fitness: What a feature made of its scores; None for what they say.
        fields: What features have to put on record, by field of the manifest.
        parts: What extensions put on record, by their names; JSON values.
        is_unchanged: Whether its code came out of the modification as it went in.
        results_of: Generation whose results it has without having been evaluated; else None.
    """

    def __init__(
        self,
        agent: str,
        generation: int,
        parent: int | None,
        code: dict[str, str],
        seen: tuple[str, ...],
        role: Role = "",
        history: Sequence[int] = (),
        forked_from: int | None = None,
    ) -> None:
        self.agent = agent
        self.generation = generation
        self.parent = parent
        self.code = code
        self.seen = seen
        self.role: Role = role
        self.history = history
        self.forked_from = parent if forked_from is None else forked_from
        self.error = ""
        self.error_class: ErrorClass = ""
        self.gates: dict[str, str] = {}
        self.violations: tuple[Violation, ...] = ()
        self.splits: dict[str, SplitResult] = {}
        self.choosing: Choosing | None = None
        self.chosen_by = ""
        self.fitness: float | None = None
        self.fields: dict[str, Any] = {}
        self.parts: dict[str, Any] = {}
        self.is_unchanged = False
        self.results_of: int | None = None

    @classmethod
    def fork(
        cls,
        context: RunContext,
        who: Participant,
        generation: int,
        visible: VisibleStrategies,
        chosen: Chosen,
        role: Role = "",
        *,
        from_first: bool = False,
    ) -> "Candidate":
        """Start from the parent's code, or from the seed for generation 0.

        Args:
            context: Whose run this is.
            who: Whose generation it is.
            generation: Its number.
            visible: What the agent sees.
            chosen: Its parent.
            role: What it is among several candidates.
            from_first: Whether it starts from generation 0 and sees the results of that alone,
                whatever its parent is.
        """
        if generation == 0:
            return cls(who.name, 0, None, dict(context.first_code(who)), ())
        parent = chosen.parent
        # Where not even the seed passed its gates there is nothing better to fork.
        number = 0 if parent is None else parent.generation
        source = 0 if from_first else number
        history = shown_generations(context, visible.own, source, parent_only=from_first)
        code = context.marks.code(who.name, source)
        candidate = cls(who.name, generation, number, code, visible.mark_ids, role, history, source)
        candidate.choosing, candidate.chosen_by = chosen.choosing, chosen.by
        return candidate

    def label(self, item: str) -> str:
        """Name an item in the traces: calls of several candidates do not mix."""
        return item_label(self.role, item)

    @property
    def valid(self) -> bool:
        """True while nothing has failed."""
        return not self.error

    def fail(self, error_class: ErrorClass, error: str) -> None:
        """Record why this generation is not valid; the first reason stays."""
        if not self.error:
            self.error_class, self.error = error_class, printable_error(error)

    def take_in(self, taken: Ingest, scope: EditScope) -> None:
        """Take the code that came out of the workspace, and what the guard refused of it.

        Args:
            taken: What ingest let in.
            scope: What may have changed; the rest of the code stays as it was.
        """
        frozen = {path: text for path, text in self.code.items() if not scope.permits(path)}
        came = {path: data.decode() for path, data in sorted(taken.files.items())}
        self.code = frozen | came
        self.violations = ()
        self.note(
            Violation(
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
            for change in taken.changes
            if change.verdict == "reverted"
        )

    def note(self, violations: Iterable[Violation]) -> None:
        """Put violations on record; of several candidates with whose they are."""
        for violation in violations:
            told = {"candidate": self.role} if self.role else {}
            evidence = violation.evidence | told
            self.violations += (msgspec.structs.replace(violation, evidence=evidence),)

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
        self,
        context: RunContext,
        calls: tuple[dict[str, Any], ...],
        refused: Iterable[Violation],
        needs: tuple[RaisedNeed, ...] = (),
    ) -> Manifest:
        """Close the books; marks written are added when they are.

        Args:
            context: Whose run this is.
            calls: Model calls in canonical form.
            refused: What the broker refused.
            needs: What was put to the principal.
        """
        return Manifest(
            agent=self.agent,
            generation=self.generation,
            parent=self.parent,
            code=text_hashes(self.code),
            valid=self.valid,
            error=self.error,
            error_class=self.error_class,
            gates=self.gates,
            violations=(*self.violations, *refused),
            splits=self.splits,
            fitness=self.own_fitness(context) if self.fitness is None else self.fitness,
            seen=self.seen,
            written=(),
            calls=calls,
            choosing=self.choosing,
            steering=context.steering.taken(self.agent, self.generation),
            needs=needs,
            code_chars=self._chars_that_count(context),
            parts=self.parts,
            **self.fields,
        )

    def _chars_that_count(self, context: RunContext) -> int:
        if not context.config.keeps_shorter:
            return 0
        return len(self.code.get("task_agent.py", ""))

    def own_fitness(self, context: RunContext) -> float:
        """Return the fitness of its scores, as far as it was evaluated; 0 where it failed."""
        # The score of a staged pass alone is one over the whole split, of which the rest is wrong.
        compared = self.splits.get("val") or self.splits.get("train")
        if not self.valid or compared is None:
            return 0.0
        return context.domain.fitness(compared.score)
