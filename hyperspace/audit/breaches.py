"""What got past the guard: a run's marks and files, checked against what may be in them.

A breach is code outside the edit scope, code or files that are not what their closing mark says, a
change that was put back and is there all the same, a mark where its author may not write.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from uuid import UUID

import msgspec

from guards.scope.edit_scope import EditScope
from hyperspace.audit.redacted_traces import missing_calls
from hyperspace.extensions.tournament.tournament import ROLES
from hyperspace.kernel.files import text_hashes, tree_hashes
from hyperspace.kernel.state.folder import DROPPED, TRACE, RunFolder
from hyperspace.kernel.state.manifest import REPO, TEST, Closing, Violation
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.state.replacements import Changes, is_on_record
from hyperspace.kernel.state.scopes import (
    CODE,
    COORDINATOR,
    PRINCIPAL,
    STRATEGIES,
    agent_rights,
    coordinator_rights,
    principal_rights,
)
from markspace import Agent, AnyMark, MarkType, Need, Observation

_NEVER_REPLACED = (REPO, "eval_")  # code, and what was predicted and scored


def breaches(
    folder: RunFolder,
    marks: RunMarks,
    closings: Sequence[Closing],
    changes: Changes,
) -> Iterator[str]:
    """Find breaches in code and files; one line each, which may quote what agents wrote.

    Args:
        folder: Where its files lie.
        marks: Its open space, whose chain was verified.
        closings: Its closing marks.
        changes: What is on record of files that were replaced since, by path within the run.
    """
    config = marks.config
    played = [closing for closing in closings if closing.manifest.generation != TEST]
    finals = [closing for closing in closings if closing.manifest.generation == TEST]
    seeds = {c.manifest.agent: c for c in played if c.manifest.generation == 0}
    for closing in played:
        agent = closing.manifest.agent
        where, seed = f"{agent} gen {closing.manifest.generation}", seeds.get(agent)
        matches = [
            *_outside_scope(closing, seed, config.edit_scope(agent)),
            *_not_as_closed(closing, {} if seed is None else seed.beside_code),
            *_put_back_in_vain(closing),
        ]
        yield from (f"{where}: {problem}" for problem in matches)
        yield from changed_files(folder, closing, changes)
    for closing in finals:
        yield from changed_files(folder, closing, changes)


def strange_marks(marks: RunMarks, closings: Sequence[Closing], until: int) -> Iterator[str]:
    """Find marks of strangers, of agents without the right, and code that was never closed.

    Args:
        marks: The run's open space, whose chain was verified.
        closings: Its closing marks.
        until: Sequence of the last mark to look at; whose closing marks are all given.
    """
    config = marks.config
    played = [closing for closing in closings if closing.manifest.generation != TEST]
    until_then = takewhile(lambda row: row[0] <= until, marks.space.history())
    is_arena = config.arena is not None
    writers = [
        agent_rights(
            name, marks.author(name), needs=config.needs, cases=config.member(name).role == "tester"
        )
        for name in config.agents
    ]
    writers.append(coordinator_rights(marks.author(COORDINATOR), cases=is_arena))
    writers.append(principal_rights(marks.author(PRINCIPAL)))
    yield from _strange_marks(until_then, {writer.id: writer for writer in writers}, played)


def _outside_scope(closing: Closing, seed: Closing | None, scope: EditScope) -> Iterator[str]:
    """Find code outside the scope that is not the seed's, which is the person's."""
    first = {} if seed is None else seed.manifest.code
    for path, digest in closing.manifest.code.items():
        reason = scope.refusal(path)
        if reason and closing is not seed and first.get(path) != digest:
            yield f"its code holds {path}: {reason}"


def _not_as_closed(closing: Closing, frozen: Mapping[str, str]) -> Iterator[str]:
    """Compare the files of a generation with its code, and the rest with generation 0's."""
    for path, digest in closing.manifest.code.items():
        if closing.files.get(REPO + path) != digest:
            yield f"its file {REPO}{path} is not its code"
    for path, digest in closing.beside_code.items():
        if frozen.get(path) != digest:
            yield f"its file {REPO}{path} is neither its code nor the frozen runtime"


def _put_back_in_vain(closing: Closing) -> Iterator[str]:
    for violation in closing.manifest.violations:
        evidence = violation.evidence
        tried = str(evidence.get("sha256_after", ""))
        # What was put back of a mode is the mode; the content may have been let in beside it.
        if violation.what.startswith("mode ") or tried in ("", evidence.get("sha256_before")):
            continue
        if violation.verdict in ("reverted", "rewritten"):
            code, repo = _of_candidate(closing, violation)
            if code.get(violation.path) == tried:
                yield f"{violation.path} was {violation.verdict}, and is in its code all the same"
            elif closing.files.get(repo + violation.path) == tried:
                yield f"{violation.path} was {violation.verdict}, and is among its files"


def _of_candidate(closing: Closing, violation: Violation) -> tuple[dict[str, str], str]:
    """The code that a violation was about, and the folder of it."""
    tournament, role = closing.manifest.tournament, violation.evidence.get("candidate")
    if tournament is None or role not in ROLES:
        return closing.manifest.code, REPO
    return tournament.of(role).code, f"{role}/{REPO}"


def changed_files(folder: RunFolder, closing: Closing, changes: Changes) -> Iterator[str]:
    """Compare the files on disk with the hashes of the closing mark; one line each.

    Args:
        folder: Where the run lies.
        closing: What was closed.
        changes: What is on record of files that were replaced since, by path within the run.
    """
    root, generation = folder.closed(closing), closing.manifest.generation
    where = f"{closing.manifest.agent} {'' if generation == TEST else 'gen '}{generation}"
    hashes = tree_hashes(root) if root.is_dir() else {}
    inside = root.relative_to(folder.root).as_posix()
    for path, digest in closing.files.items():
        actual = hashes.get(path)
        if actual != digest and (
            path.startswith(_NEVER_REPLACED)
            or not is_on_record(changes, f"{inside}/{path}", digest, actual)
        ):
            yield f"{where}: {path} was changed or lost since it was closed"
            continue
        is_redacted = path == TRACE and actual not in (None, digest)
        if is_redacted and (missing := missing_calls(root / path, closing)):
            yield f"{where}: {missing} calls in {path} are not those that were closed"
    for path in hashes:
        if path not in closing.files and path != DROPPED:
            yield f"{where}: {path} was added since it was closed"


def _strange_marks(
    history: Iterable[tuple[int, AnyMark]],
    rights: Mapping[UUID, Agent],
    closings: Iterable[Closing],
) -> Iterator[str]:
    closed = {(c.manifest.agent, f"gen/{c.manifest.generation}"): c.manifest.code for c in closings}
    for sequence, mark in history:
        author = rights.get(mark.agent_id)
        if author is None or not author.can_write(mark.scope, mark.mark_type):
            name = "a stranger" if author is None else author.name
            yield f"mark {sequence} in {mark.scope} was written by {name}, who may not"
        elif mark.supersedes is not None and not _is_answered(mark, rights):
            yield f"mark {sequence} in {mark.scope} takes the place of an older one, as none may"
        elif not _is_closed_code(mark, closed):
            yield f"mark {sequence} in {mark.scope} holds code that its closing mark does not name"


def _is_answered(mark: AnyMark, rights: Mapping[UUID, Agent]) -> bool:
    """Return whether a mark is a need that took its own place when the principal answered it."""
    if not isinstance(mark, Need) or mark.resolved_by_agent is None:
        return False
    resolver = rights.get(mark.resolved_by_agent)
    return resolver is not None and resolver.can_write(mark.scope, MarkType.ACTION)


class _Code(msgspec.Struct):
    files: dict[str, str]


def _is_closed_code(mark: AnyMark, closed: Mapping[tuple[str, str], dict[str, str]]) -> bool:
    scope, _, agent = mark.scope.partition("/")
    if scope not in (CODE, STRATEGIES) or not isinstance(mark, Observation):
        return True
    try:
        code = msgspec.convert(mark.content, _Code)
    except msgspec.ValidationError:
        return False
    return text_hashes(code.files) == closed.get((agent, mark.topic))
