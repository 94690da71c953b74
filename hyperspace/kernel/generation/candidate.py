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
from hyperspace.kernel.state.cases import JudgedCase
from hyperspace.kernel.state.manifest import (
    Choosing,
    Ensemble,
    ErrorClass,
    JudgedCandidate,
    Manifest,
    Rescoring,
    Role,
    SplitResult,
    Tournament,
    Violation,
)
from hyperspace.kernel.state.options.advice import Advice
from hyperspace.kernel.state.steering.records import RaisedNeed
from hyperspace.tasks.base import Domain

GATES = ("compile", "import", "signature", "smoke")


class Chosen(NamedTuple):
    """A parent, and how it was found.

    Attributes:
        parent: None where no generation is valid.
        choosing: What the agent's own code had to say; None where it was not asked.
    """

    parent: ArchiveEntry | None
    choosing: Choosing | None = None


class Candidate:
    """A generation in the making, as far as it has come.

    Attributes:
        code: Path to text of the editable files, as of now.
        role: Its part in a tournament; empty where it is the only candidate.
        history: Which generations of its own the agent sees.
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
    ) -> None:
        self.agent = agent
        self.generation = generation
        self.parent = parent
        self.code = code
        self.seen = seen
        self.role: Role = role
        self.history = history
        self.error = ""
        self.error_class: ErrorClass = ""
        self.gates: dict[str, str] = {}
        self.violations: tuple[Violation, ...] = ()
        self.splits: dict[str, SplitResult] = {}
        self.tournament: Tournament | None = None
        self.choosing: Choosing | None = None
        self.ensemble: Ensemble | None = None
        self.rescored: Rescoring | None = None
        self.advice: Advice | None = None
        self.cases: tuple[JudgedCase, ...] = ()
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
    ) -> "Candidate":
        """Start from the parent's code, or from the seed for generation 0.

        A blind candidate starts from generation 0, whatever its parent is.
        """
        if generation == 0:
            return cls(who.name, 0, None, dict(context.first_code(who)), ())
        parent = chosen.parent
        # Where not even the seed passed its gates there is nothing better to fork.
        number = 0 if parent is None else parent.generation
        source = 0 if role == "blind" else number
        history = shown_generations(context, visible.own, source, parent_only=role == "blind")
        code = context.marks.code(who.name, source)
        candidate = cls(who.name, generation, number, code, visible.mark_ids, role, history)
        candidate.choosing = chosen.choosing
        return candidate

    @property
    def forked_from(self) -> int | None:
        """Generation whose code it started from; None for generation 0."""
        return 0 if self.role == "blind" else self.parent

    def label(self, item: str) -> str:
        """Name an item in the traces: calls of the two candidates of a tournament do not mix."""
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
        """Put violations on record; in a tournament with whose they are."""
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

    def judged(self, domain: Domain) -> JudgedCandidate:
        """Return its record as a candidate of a tournament."""
        train = self.splits.get("train")
        return JudgedCandidate(
            forked_from=self.forked_from or 0,
            code=text_hashes(self.code),
            valid=self.valid,
            error=self.error,
            error_class=self.error_class,
            gates=self.gates,
            train=train,
            fitness=domain.fitness(train.score) if self.valid and train else None,
        )

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
            fitness=self._fitness(context),
            seen=self.seen,
            written=(),
            calls=calls,
            tournament=self.tournament,
            choosing=self.choosing,
            ensemble=self.ensemble,
            rescored=self.rescored,
            steering=context.steering.taken(self.agent, self.generation),
            needs=needs,
            advice=self.advice,
            code_chars=self._chars_that_count(context),
            cases=self.cases,
        )

    def _chars_that_count(self, context: RunContext) -> int:
        if not context.config.keeps_shorter:
            return 0
        return len(self.code.get("task_agent.py", ""))

    def _fitness(self, context: RunContext) -> float:
        # The score of a staged pass alone is one over the whole split, of which the rest is wrong.
        compared = self.splits.get("val") or self.splits.get("train")
        if not self.valid or compared is None:
            return 0.0
        own = context.domain.fitness(compared.score)
        if self.ensemble is None or context.config.solo is None:
            return own
        together = context.domain.fitness(self.ensemble.val_score)
        return together if context.config.solo.optimise == "ensemble" else (own + together) / 2
