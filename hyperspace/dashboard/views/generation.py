"""One generation: its code with whose each line was, what changed, its items, what it did."""

from pathlib import Path
from typing import Any

from hyperspace.dashboard.pages.addresses import code_line
from hyperspace.dashboard.pages.code import MOST_CODE_LINES, change_groups, code_lines, legend
from hyperspace.dashboard.pages.guarding import shown_guard
from hyperspace.dashboard.pages.items import shown_split
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.compared import CodeVersion, changes_between, file_of, version
from hyperspace.dashboard.reading.judged import is_best, labelled_code
from hyperspace.dashboard.view import PageContent, View
from hyperspace.dashboard.views.concluded import adoptions_of, findings_of
from hyperspace.runs.generation_record import folder_of, read_generation_record
from hyperspace.runs.items import read_splits
from transfer_experiment.adoption.provenance import LineSource


def render(question: Question) -> PageContent:
    """Show a generation."""
    run, here = question.run(), CodeVersion(question.agent(), question.generation())
    agent, turn = here
    record = read_generation_record(Path(run.source), agent.name, turn)
    folder = folder_of(turn)
    file = file_of(question, here)
    values: dict[str, Any] = {
        "here": here,
        "agent": agent.name,
        "agents": [each.name for each in run.agents if each.name],
        "turn": turn,
        "record": record,
        "fork": agent.forked,
        "is_best": is_best(question, agent, turn),
        "peers": [peer.name for peer in run.peers_of(agent.name) if peer.has_turn(turn.generation)],
        "file": file,
        "files": [
            (path, code_line(question, agent.name, turn.generation, path, 0))
            for path in here.files()
        ],
        "adoptions": adoptions_of(question, here),
        "findings": findings_of(question, here),
        "splits": [] if folder is None else [*map(shown_split, read_splits(folder))],
        "violations": [*map(shown_guard, record.violations)],
        **_changes(question, here, file),
        **_code(question, here, file),
    }
    parts = [
        ("adoptions", "Adoption", values["adoptions"]),
        ("changes", values["changes_title"], values["changes_title"]),
        ("code", f"Code: {file}", True),
        *((split.id, split.title, True) for split in values["splits"]),
        ("in-sight", "In sight", turn.seen),
        ("findings", "Findings of detectors", values["findings"]),
        ("guard", "Guard", values["violations"]),
        ("edits", "Edits in time", record.edits),
        ("accesses", "Accesses", record.accesses is not None),
    ]
    values["parts"] = [(name, title) for name, title, is_there in parts if is_there]
    title = f"{agent.name or run.pairing}, generation {turn.generation}"
    return PageContent(title, "generation.html", values)


def _changes(question: Question, here: CodeVersion, file: str) -> dict[str, Any]:
    """What changed since another generation: the one that is asked for, or its parent.

    Where the parent is not on record it is the generation before.
    """
    against, origin = question.text("against"), here.turn.origin
    other = version(question, against) if against else None
    if other is None:
        parent = here.before if origin is None else here.agent.turn(origin)
        if parent is None:
            return {"other": None, "changes_title": ""}
        other = CodeVersion(here.agent, parent)
    changes = changes_between(other, here, file)
    whose = f"{other.agent.name} generation {other.turn.generation}".strip()
    return {
        "other": other,
        "changes_title": f"{file}: changes since {whose}",
        "counts": changes,
        "groups": [] if changes is None else [*change_groups(changes)],
    }


def _code(question: Question, here: CodeVersion, file: str) -> dict[str, Any]:
    agent, turn = here
    labelled = labelled_code(question, agent, turn, file)
    names = [each.name for each in question.run().agents]

    def address(source: LineSource) -> str:
        if source.kind == "peer" and source.peer_generation is not None:
            return code_line(question, source.peer, source.peer_generation, file, 0)
        return code_line(question, agent.name, source.since, file, 0)

    return {
        "lines": [*code_lines(labelled.lines, names, agent.name, address)],
        "lines_left_out": len(labelled.lines) - MOST_CODE_LINES,
        "legend": legend(labelled.lines, names, agent.name, address),
        "is_labelled": labelled.is_complete,
        "labelled_upto": labelled.upto,
        "is_empty": not labelled.lines and here.read(file) is not None,
    }


VIEW = View("generation", "/runs/{run}/agents/{agent}/generations/{generation}", render)
