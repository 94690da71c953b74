"""The closing manifest: what one generation was, in the form that the digest is made of.

docs/reference/determinism.md, Digest, says what belongs in here. Times, money, attempts and paths
do not.
"""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from hyperspace.broker.refusal import BrokerRefusal
from hyperspace.kernel.files import sha256_hex
from hyperspace.kernel.state.cases import JudgedCase
from hyperspace.kernel.state.steering.records import RaisedNeed, Steering
from hyperspace.options.advice import Advice

REPO = "repo/"
TOPICS = ("edit-scope", "policy", "budget", "attack")
ErrorClass = Literal["", "candidate", "meta", "infrastructure", "budget"]
Side = Literal["blind", "directed"]
INCUMBENT = "incumbent"
Role = Literal["", "blind", "directed", "incumbent"]
"""Of code in a generation: its one candidate, one of two in a tournament, or the best one so far,
which is scored again where validation items are drawn anew."""
TEST = "test"
Cursor = int | dict[str, int]
"""How many generations of the run were closed when somebody looked, in the order of writing; of
each agent, by name, in runs of earlier versions; `{}` where rounds decide what is seen."""


class SandboxRequest(NamedTuple):
    """A request to a sandbox, named so that the order in which sandboxes work does not matter.

    Attributes:
        purpose: `modify`, `gate`, or the split.
        item: On which item.
        ordinal: Its place among the attempt's requests for these two, from 0.
    """

    purpose: str
    item: str
    ordinal: int


class Timeout(msgspec.Struct, frozen=True):
    """A limit of time that ended a sandbox.

    Attributes:
        ordinal: See `SandboxRequest`.
        purpose: See `SandboxRequest`.
        item: See `SandboxRequest`.
        detail: What is told of it.
        calls: Model calls that were finished in that request.
        refusals: What the broker refused in it.
        reason: Which limit: `wall_clock` or `cpu_time`.
    """

    ordinal: int = msgspec.field(name="request")
    purpose: str
    item: str
    detail: str
    calls: int = 0
    refusals: tuple[BrokerRefusal, ...] = ()
    reason: str = "wall_clock"

    @property
    def request(self) -> SandboxRequest:
        """The request that it ended."""
        return SandboxRequest(self.purpose, self.item, self.ordinal)


class PassAnswers(msgspec.Struct, frozen=True):
    """The answers of one pass over a split's items.

    Attributes:
        predictions: Item id to prediction; items without one are absent.
        errors: Item id to the error that kept a prediction from coming.
    """

    predictions: dict[str, str]
    errors: dict[str, str]


class Repeats(msgspec.Struct, frozen=True):
    """The passes of a split that was evaluated more than once.

    Attributes:
        scores: The score of each pass, in order.
        further: What the passes after the first gave, in order.
    """

    scores: tuple[float, ...]
    further: tuple[PassAnswers, ...]


class PrefixHash(msgspec.Struct, frozen=True):
    """Size and hash of a file at some moment; later it may have grown.

    Attributes:
        size_bytes: How long it was.
        sha256: Hash of so many first bytes.
    """

    size_bytes: int
    sha256: str

    def holds_for(self, data: bytes) -> bool:
        """Return whether a file's content still begins like this."""
        begin = data[: self.size_bytes]
        return len(begin) == self.size_bytes and sha256_hex(begin) == self.sha256


class Violation(msgspec.Struct, frozen=True):
    """One thing that the guard refused, or that a content policy found.

    Attributes:
        topic: `edit-scope`, `policy`, `budget` or `attack`.
        what: What was tried ("changed agent/llm_client.py").
        path: Workspace path concerned; empty when there is none.
        verdict: What the guard did: `reverted`, `refused`, `rewritten`, or `flagged`, which
            left it as it was.
        reason: Why, for people.
        evidence: Details, such as hashes or the diff; JSON values only.
    """

    topic: str
    what: str
    path: str
    verdict: str
    reason: str
    evidence: dict[str, Any] = {}

    @property
    def was_refused(self) -> bool:
        """True if something was kept from happening."""
        return self.verdict != "flagged"


class Stop(msgspec.Struct, frozen=True):
    """A pause of the whole run at a limit that the person has set.

    Attributes:
        reached: Which limit, with what was spent and reserved.
        stopped_utc: When (ISO 8601).
    """

    reached: str
    stopped_utc: str

    @property
    def recorded_utc(self) -> str:
        """When it was put on record."""
        return self.stopped_utc


class Repair(msgspec.Struct, frozen=True):
    """Files that were lost or changed since they were closed, made again from the space.

    Attributes:
        problems: Which files, and what was wrong with each; the first 100.
        count: How many.
        repaired_utc: When (ISO 8601).
    """

    problems: tuple[str, ...]
    count: int
    repaired_utc: str

    @property
    def recorded_utc(self) -> str:
        """When it was put on record."""
        return self.repaired_utc


class DomainEdit(msgspec.Struct, frozen=True):
    """A file of code was edited since the run began, or since the last such.

    Attributes:
        domain: The run's domain, as it is named; the file is its code if `extension` is not set.
        sha256: Hash of the file from here on.
        noticed_utc: When (ISO 8601).
        extension: The extension that the file is code of, as it is named.
    """

    domain: str
    sha256: str
    noticed_utc: str
    extension: str | UnsetType = UNSET

    @property
    def code(self) -> str:
        """The domain or the extension that was edited, for people."""
        is_domain = self.extension is UNSET
        return f"the domain {self.domain}" if is_domain else f"the extension {self.extension}"

    @property
    def recorded_utc(self) -> str:
        """When it was put on record."""
        return self.noticed_utc


class RunEnd(msgspec.Struct, frozen=True):
    """The end of a run before its last generation, as the person asked for.

    Attributes:
        reason: `target` where an agent reached a score, `patience` where none had a new best.
        value: The score, or in how many generations.
        closed: How many generations of all agents were closed; it holds while that is so.
        ended_utc: When (ISO 8601).
        agent: Who reached the score; empty for `patience`.
        generation: Number of its best generation.
        score: Its validation score.
    """

    reason: Literal["target", "patience"]
    value: float
    closed: int
    ended_utc: str
    agent: str = ""
    generation: int | None = None
    score: float | None = None

    @property
    def recorded_utc(self) -> str:
        """When it was put on record."""
        return self.ended_utc

    @property
    def sentence(self) -> str:
        """What was reached, for people."""
        if self.reason == "target":
            return (
                f"reached: {self.agent} gen {self.generation} has {self.score:.3f} on validation, "
                f"and --target-score is {self.value:g}"
            )
        return f"no agent had a new best in its last {self.value:g} generations (--patience)"


class Outage(msgspec.Struct, frozen=True, kw_only=True):
    """A pause of the whole run because a model did not answer a call.

    Attributes:
        agent: Whose call.
        generation: In which generation, or `test`.
        call_id: The call's name within its trace.
        complaint: What went wrong, as a class: equal for what is the same trouble again.
        tries: How often the call was tried in this run by then, over all of its starts.
        starts: How many starts of the run tried it.
        sentence: What the person is told.
        paused_utc: When (ISO 8601).
    """

    agent: str
    generation: int | Literal["test"]
    call_id: str
    complaint: str
    tries: int
    starts: int
    sentence: str
    paused_utc: str

    @property
    def recorded_utc(self) -> str:
        """When it was put on record."""
        return self.paused_utc


Incident = Stop | Repair | DomainEdit | RunEnd | Outage
"""What happens to a whole run and is no agent's."""


class SplitResult(msgspec.Struct, frozen=True):
    """One split's evaluation.

    Attributes:
        predictions: Item id to prediction, of the first pass; items without one are absent.
        score: The domain's score over the split, the mean of all passes; the staged pass alone
            gives the score over its items scaled by staged/total.
        items: Number of items in the split.
        staged_only: True when the staged pass scored 0, so the rest, if any, was not run.
        errors: Item id to the error that kept a prediction from coming in the first pass.
        repeats: The scores of all passes, and what the others gave; not set (and absent from the
            digest) where there was one pass.
    """

    predictions: dict[str, str]
    score: float
    items: int
    staged_only: bool = False
    errors: dict[str, str] = {}
    repeats: Repeats | UnsetType = UNSET

    @property
    def scores(self) -> tuple[float, ...]:
        """The score of each pass, in order."""
        return (self.score,) if self.repeats is UNSET else self.repeats.scores

    @property
    def passes(self) -> tuple[PassAnswers, ...]:
        """The answers of each pass, in order."""
        further = () if self.repeats is UNSET else self.repeats.further
        return (PassAnswers(self.predictions, self.errors), *further)


class JudgedCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """One of the two candidates of a tournament, as far as it was judged.

    Attributes:
        forked_from: Generation whose code it started from.
        code: Path to SHA-256 of each editable file.
        valid: Whether it passed its gates and was evaluated on train.
        error: Why not; empty when valid.
        error_class: Whose fault that was.
        gates: Gate name to `passed` or the failure.
        train: Its result on train; None if it was not evaluated.
        fitness: Fitness of its score on train; None if it was not evaluated.
    """

    forked_from: int
    code: dict[str, str]
    valid: bool
    error: str
    error_class: ErrorClass
    gates: dict[str, str]
    train: SplitResult | None
    fitness: float | None


class Tournament(msgspec.Struct, frozen=True):
    """Two candidates for one generation; see `hyperspace.extensions.tournament.tournament`.

    Attributes:
        winner: Which one became the generation.
        blind: The one that was forked from generation 0.
        directed: The one that was forked from the chosen parent.
    """

    winner: Side
    blind: JudgedCandidate
    directed: JudgedCandidate

    def of(self, role: Side) -> JudgedCandidate:
        """The candidate of a role."""
        return self.blind if role == "blind" else self.directed


class Choosing(msgspec.Struct, frozen=True):
    """The parent by the agent's own code; see `hyperspace.kernel.generation.choosing`.

    Attributes:
        by: The generation whose code was asked.
        chosen: What it chose; None where it gave no answer and the standard rule chose.
        error: Why it gave none.
    """

    by: int
    chosen: int | None
    error: str = ""


class Ensemble(msgspec.Struct, frozen=True):
    """A generation and earlier ones that answer together (`kernel.generation.ensemble`).

    Attributes:
        members: Generations, this one first, then the best on train.
        val_score: Score of what they answer together on validation.
    """

    members: tuple[int, ...]
    val_score: float


class Rescoring(msgspec.Struct, frozen=True):
    """The best generation so far, scored again on the validation items of another epoch.

    Attributes:
        generation: Its number.
        epoch: Number of the epoch that begins; that of generation 0 has 0.
        fitness: What counts from here on, in [0, 1].
        val: Its result; None if its code failed.
    """

    generation: int
    epoch: int
    fitness: float
    val: SplitResult | None

    @property
    def val_score(self) -> float | None:
        """Its score on the new items; None if its code failed."""
        return None if self.val is None else self.val.score


class Manifest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The record of a closed generation.

    Attributes:
        agent: Whose.
        generation: Number from 0, or `test` for the final evaluation.
        parent: Generation that was chosen to be forked; None for generation 0.
        code: Path to SHA-256 of each editable file.
        valid: Whether it may become a parent.
        error: Why not; empty when valid.
        error_class: Whose fault that was.
        gates: Gate name to `passed` or the failure.
        violations: What the guard refused, in path order; then what content policies found, and
            what the broker refused.
        splits: Results by split name.
        fitness: In [0, 1]; 0 when invalid.
        seen: Ids of the strategy marks that were in sight.
        written: Content hashes of the marks written with it.
        calls: Model calls in canonical form with hashes for texts, ordered by (purpose, item,
            ordinal).
        tournament: What decided which of two candidates this is; None (and absent from the
            digest) for a generation that had only one.
        choosing: How the agent's own code chose the parent; None (and absent from the digest)
            where it was not asked.
        ensemble: What it answers together with earlier ones; None (and absent from the digest)
            where fitness is the agent's alone.
        rescored: What the best one before is worth on new validation items; None (and absent from
            the digest) where they are those of the generation before.
        steering: What the principal asked that took effect at its look; of the final evaluation
            also what no generation has on record. Empty (and absent from the digest) where there
            was nothing.
        needs: What the agent asked the principal, in order; empty (and absent from the digest)
            where it asked nothing.
        advice: What the reviewer said of it; None (and absent from the digest) where nobody
            reviews, or nothing usable was said.
        code_chars: Length of its task agent where the shorter of equals is kept; 0 (and absent
            from the digest) elsewhere.
        cases: What a tester proposed, and the oracle's word on it; empty (and absent from the
            digest) where there was nothing.
        parts: What extensions put on record, by their names, where it has no field above; empty
            (and absent from the digest) where there was nothing.
    """

    agent: str
    generation: int | Literal["test"]
    parent: int | None
    code: dict[str, str]
    valid: bool
    error: str
    error_class: ErrorClass
    gates: dict[str, str]
    violations: tuple[Violation, ...]
    splits: dict[str, SplitResult]
    fitness: float
    seen: tuple[str, ...]
    written: tuple[str, ...]
    calls: tuple[dict[str, Any], ...]
    tournament: Tournament | None = None
    choosing: Choosing | None = None
    ensemble: Ensemble | None = None
    rescored: Rescoring | None = None
    steering: tuple[Steering, ...] = ()
    needs: tuple[RaisedNeed, ...] = ()
    advice: Advice | None = None
    code_chars: int = 0
    cases: tuple[JudgedCase, ...] = ()
    parts: dict[str, Any] = {}

    @property
    def forked_from(self) -> int | None:
        """Generation whose code it started from; None for generation 0."""
        if self.tournament is None:
            return self.parent
        return self.tournament.of(self.tournament.winner).forked_from

    def score(self, split: str) -> float | None:
        """Score of a split; None when it was not evaluated."""
        result = self.splits.get(split)
        return None if result is None else result.score


class Closing(msgspec.Struct, frozen=True, kw_only=True):
    """Content of a closing mark: the manifest, and beside it what the digest leaves out.

    Attributes:
        manifest: What the digest is made of.
        files: Path to SHA-256 of the generation's files on disk.
        audit_head: Head of the audit chain before this generation was written.
        seconds: Wall time of the attempt that closed.
        closed_utc: When (ISO 8601).
        attempt: Number of abandoned attempts before this one.
        calls: Model calls made or served.
        cost_usd: What the attempt's calls cost; None when a price is unknown.
        timeouts: Wall-clock limits that ended a sandbox, in order.
        answered_by: Model name as asked to the model ids that providers returned.
        diverged: Calls that a recorded model answered though they were not the recorded ones.
        stamp: The stamp of these files (`hyperspace.kernel.views.stamps`).
        logs: What the run's files of lines were before this generation, by their role.
        cursor: What could be seen, where timing decided it (schedule `concurrent`, `--lanes` of
            solo arms); else `{}`.
        ledger_bytes: How long the run's ledger was; it never gets shorter.
        results_of: Generation with the same code whose results these are; None if it was evaluated.
        said: The last words of a model that called no tool in a modification without effect, or why
            it gave no reply; not set (and absent from the mark) elsewhere.
    """

    manifest: Manifest
    files: dict[str, str]
    audit_head: str
    seconds: float
    closed_utc: str
    attempt: int
    calls: int
    cost_usd: float | None
    timeouts: tuple[Timeout, ...] = msgspec.field(name="strikes", default=())
    answered_by: dict[str, tuple[str, ...]] = {}
    diverged: int = 0
    stamp: str = ""
    logs: dict[str, PrefixHash] = msgspec.field(name="views", default_factory=dict)
    cursor: Cursor = {}
    ledger_bytes: int = 0
    results_of: int | None = None
    said: str | UnsetType = UNSET

    @property
    def beside_code(self) -> dict[str, str]:
        """Path below `repo/` to SHA-256 of its files that are not the agent's code."""
        repo = {p.removeprefix(REPO): sha for p, sha in self.files.items() if p.startswith(REPO)}
        return {path: sha for path, sha in repo.items() if path not in self.manifest.code}


def beats(
    fitness: float, best: float, code_chars: int | UnsetType = 0, best_chars: int | UnsetType = 0
) -> bool:
    """Return whether a generation replaces the best one: by fitness, of equals if it is shorter.

    Args:
        fitness: Its fitness.
        best: That of the best one so far.
        code_chars: Length of its code; 0 or not set where that decides nothing.
        best_chars: The same of the best one.
    """
    return fitness > best or (fitness == best and (code_chars or 0) < (best_chars or 0))


def order_of(manifest: Manifest) -> tuple[bool, int, str]:
    """Key that sorts manifests by generation and agent, final evaluations last."""
    number = manifest.generation
    return (False, number, manifest.agent) if isinstance(number, int) else (True, 0, manifest.agent)


def best_of(manifests: Iterable[Manifest]) -> Manifest | None:
    """The scored generation with the best fitness, of equals by `beats`; None without one.

    Where validation items were drawn anew, it is the best on the last ones; its validation result
    is then the one on those.

    Args:
        manifests: Of one agent, in order; the first may be what this returned for those before.
    """
    best: Manifest | None = None
    for manifest in manifests:
        again = manifest.rescored
        if again is not None and best is not None and best.generation == again.generation:
            val = {} if again.val is None else {"val": again.val}
            best = replace(best, fitness=again.fitness, splits={**best.splits, **val})
        is_scored = manifest.valid and manifest.score("val") is not None
        if is_scored and (best is None or _replaces(manifest, best)):
            best = manifest
    return best


def _replaces(manifest: Manifest, best: Manifest) -> bool:
    return beats(manifest.fitness, best.fitness, manifest.code_chars, best.code_chars)
