"""Whether an agent's generations came to anything: the one rule for runs of all kinds.

They did if one of them is valid and has other code than it was forked from. An agent that made
none after generation 0 is not judged. A run came to nothing if agents of it are judged and every
one of them came to nothing: such a run is no success, whoever asks and whenever
(docs/reference/endings.md).
All of it follows from closings, so a run that is resumed or finished says the same again.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from msgspec import UNSET

from hyperspace.kernel.events import Cause, Nothing
from hyperspace.kernel.files import canonical_json, sha256_hex
from hyperspace.kernel.state.manifest import Closing, Manifest

LEAST_TOLD: Final = 2  # generations after which a person is told while the run goes on
LONGEST_EXAMPLE: Final = 200


class _Failed(NamedTuple):
    generation: int
    cause: Cause
    example: str


class AgentEffect:
    """The generations of one agent after generation 0, taken one by one in order."""

    def __init__(self) -> None:
        self._codes: dict[int, str] = {}
        self._perfect = set[int]()
        self._generations = self._valid = self._changed = 0
        self._failed: dict[Cause, _Failed] = {}
        self._causes = Counter[Cause]()
        self.came_to_something = False

    def take(self, closing: Closing) -> None:
        """Take the closing of the next generation; what comes after success is not looked at."""
        manifest = closing.manifest
        if self.came_to_something or not isinstance(manifest.generation, int):
            return
        code = sha256_hex(canonical_json(manifest.code))
        self._codes[manifest.generation] = code
        if manifest.valid and manifest.fitness >= 1:
            self._perfect.add(manifest.generation)
        source = manifest.forked_from
        if source is None:
            return
        is_changed = code != self._codes.get(source)
        self._generations += 1
        self._valid += manifest.valid
        self._changed += is_changed
        if manifest.valid and is_changed:
            self.came_to_something = True
            self._codes.clear()
            return
        cause = _cause_of(closing, began_perfect=source in self._perfect)
        self._causes[cause] += 1
        example = manifest.error or (closing.said or "")
        self._failed[cause] = _Failed(manifest.generation, cause, example[:LONGEST_EXAMPLE])

    @property
    def nothing(self) -> Nothing | None:
        """What is said of it; None where it came to something, or made nothing yet."""
        if self.came_to_something or not self._generations:
            return None
        most = max(self._causes.values())
        failed = max(self._failed[each] for each, n in self._causes.items() if n == most)
        return Nothing(
            generations=self._generations,
            valid=self._valid,
            changed=self._changed,
            cause=failed.cause,
            count=most,
            latest=failed.generation,
            example=failed.example,
        )

    @property
    def made_any(self) -> bool:
        """Whether there is a generation after generation 0."""
        return self.came_to_something or self._generations > 0


def came_to_nothing(agents: Iterable[AgentEffect]) -> bool:
    """Return whether a run came to nothing: agents are judged, and none came to anything."""
    judged = [each for each in agents if each.made_any]
    return bool(judged) and not any(each.came_to_something for each in judged)


def _cause_of(closing: Closing, *, began_perfect: bool) -> Cause:
    manifest = closing.manifest
    match manifest.error_class:
        case "meta":
            return "refused" if _is_refused(manifest) else "meta"
        case "budget" | "infrastructure" as failed:
            return failed
        case "candidate":
            is_gate = any(outcome != "passed" for outcome in manifest.gates.values())
            return "gate" if is_gate else "evaluation"
        case "":
            return "perfect" if began_perfect else _cause_of_unchanged(closing, manifest)


def _cause_of_unchanged(closing: Closing, manifest: Manifest) -> Cause:
    calls = _modify_calls(manifest)
    if any(each.verdict == "reverted" for each in manifest.violations):
        return "put_back"
    if not calls:
        return "asked_nothing"
    if _is_refused(manifest):
        return "refused"
    if closing.said is UNSET:
        return "unchanged"
    if calls[-1]["finish"] == "length":
        return "cut_off"
    return "not_kept" if "```" in closing.said else "no_call"


def _is_refused(manifest: Manifest) -> bool:
    calls = _modify_calls(manifest)
    return bool(calls) and all(call["error"] for call in calls)


def _modify_calls(manifest: Manifest) -> list[dict[str, Any]]:
    return [call for call in manifest.calls if call["purpose"] == "modify"]
