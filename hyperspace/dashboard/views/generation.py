"""One generation: its code with whose each line was, what changed, its items, what it did."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hyperspace.dashboard.pages.activity import activity_parts
from hyperspace.dashboard.pages.addresses import (
    code_line,
    diff_page,
    generation_page,
    run_page,
    trace_page,
)
from hyperspace.dashboard.pages.code import changes_parts, code_table, legend
from hyperspace.dashboard.pages.comparing import against_form, file_links
from hyperspace.dashboard.pages.facts import PagePart, contents, facts, separated
from hyperspace.dashboard.pages.guarding import violations_parts
from hyperspace.dashboard.pages.items import split_part
from hyperspace.dashboard.pages.parts import link, named
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.compared import CodeVersion, changes_between, file_of, version
from hyperspace.dashboard.reading.judged import is_best, labelled_code
from hyperspace.dashboard.view import PageContent, View, glued
from hyperspace.dashboard.views.concluded import adoption_parts, finding_parts
from hyperspace.reporting.lines import score
from hyperspace.reporting.page import (
    Markup,
    folded,
    joined,
    marked,
    note,
    paragraph,
    preformatted,
    said,
    section,
    table,
)
from hyperspace.runs.generation_record import GenerationRecord, folder_of, read_generation_record
from hyperspace.runs.items import read_splits
from hyperspace.runs.records import Generation
from transfer_experiment.adoption.provenance import LineSource

MOST_IN_SIGHT: Final = 300
MOST_ERROR: Final = 4_000  # characters
WHOSE: Final = {  # of an error, by its class
    "candidate": " of the new code",
    "meta": " of the code that makes it",
    "infrastructure": " of what is around it",
}


def render(question: Question) -> PageContent:
    """Show a generation."""
    here = CodeVersion(question.agent(), question.generation())
    record = read_generation_record(Path(question.run().source), here.agent.name, here.turn)
    folder = folder_of(here.turn)
    file = file_of(question, here)
    splits = () if folder is None else read_splits(folder)
    below = [
        *adoption_parts(question, here),
        *_changes(question, here, file),
        _code(question, here, file),
        *(split_part(split) for split in splits),
        *_in_sight(question, here),
        *finding_parts(question, here),
        *violations_parts(record.violations),
        *activity_parts(record),
    ]
    parts = [
        _neighbours(question, here),
        _facts(question, here.turn, record),
        *_failures(here.turn, record),
        contents(below),
        *(part.shown() for part in below),
    ]
    name = here.agent.name or question.run().pairing
    return glued(f"{name}, generation {here.turn.generation}", tuple(parts), wide=True)


def _neighbours(question: Question, here: CodeVersion) -> Markup:
    """Links to the generations beside it, to the same one of other agents, and to its trace."""
    agent, number = here.agent.name, here.turn.generation
    before, after = here.before, here.after
    links: list[Markup] = []
    if before is not None:
        address = generation_page(question, agent, before.generation)
        links.append(link(f"← generation {before.generation}", address))
    if after is not None:
        address = generation_page(question, agent, after.generation)
        links.append(link(f"generation {after.generation} →", address))
    links.append(link("trace", trace_page(question, agent, number)))
    links.append(link("lineage", run_page(question, "lineage", agent=agent, around=number)))
    links += [
        link(f"{peer.name} {number}", generation_page(question, peer.name, number))
        for peer in question.run().peers_of(agent)
        if peer.has_turn(number)
    ]
    return paragraph(separated(links))


def _facts(question: Question, turn: Generation, record: GenerationRecord) -> Markup:
    agent = question.agent()
    best = is_best(question, agent, turn)
    state = marked("valid", "good") if turn.valid else marked("not valid", "bad")
    parent, fork = Markup(""), agent.forked
    if turn.origin is not None:
        parent = link(
            f"generation {turn.origin}", generation_page(question, agent.name, turn.origin)
        )
    elif fork is not None:
        address = generation_page(question, fork.source, fork.generation)
        parent = link(f"{fork.source} generation {fork.generation}", address)
    results = ""
    if turn.results_of is not None:
        address = generation_page(question, agent.name, turn.results_of)
        results = link(f"generation {turn.results_of}, which has the same code", address)
    rows = [
        ("state", joined((state, ", best of this agent" if best else ""))),
        ("train", score(turn.train)),
        ("validation", score(turn.val)),
        ("fitness", "" if turn.fitness is None else score(turn.fitness)),
        ("ensemble", "" if turn.ensemble is None else score(turn.ensemble)),
        ("code from", parent),
        ("results of", results),
        ("tournament won", turn.winner),
        ("model calls", "" if record.calls is None else str(record.calls)),
        ("cost", "" if record.cost_usd is None else f"${record.cost_usd:.2f}"),
        ("time", "" if record.seconds is None else f"{record.seconds:.1f} s"),
        ("closed (UTC)", record.closed_utc[:19].replace("T", " ")),
        ("attempts before", str(record.attempt) if record.attempt else ""),
    ]
    return facts(rows)


def _failures(turn: Generation, record: GenerationRecord) -> Iterator[Markup]:
    """Why it is not valid, and which gates it did not pass."""
    for problem in record.notes:
        yield note(problem)
    if turn.error:
        yield section(
            f"Error{WHOSE.get(record.error_class, '')}", preformatted(said(turn.error, MOST_ERROR))
        )
    if record.gates:
        gates = [
            joined((f"{name} ", marked("passed", "good")))
            if told == "passed"
            else joined((f"{name} ", marked(said(told, MOST_ERROR), "bad")))
            for name, told in record.gates.items()
        ]
        yield paragraph("Gates: ", separated(gates))
    if turn.staged_only:
        yield note("It scored nothing on the staged items, so the rest was not evaluated.")


def _changes(question: Question, here: CodeVersion, file: str) -> Iterator[PagePart]:
    """What changed since another generation: the one that is asked for, or its parent.

    Where the parent is not on record it is the generation before.
    """
    against, origin = question.text("against"), here.turn.origin
    other = version(question, against) if against else None
    if other is None:
        parent = here.before if origin is None else here.agent.turn(origin)
        if parent is None:
            return
        other = CodeVersion(here.agent, parent)
    changes = changes_between(other, here, file)
    whose = f"{other.agent.name} generation {other.turn.generation}".strip()
    title = f"{file}: changes since {whose}"
    if changes is None:
        yield PagePart("changes", title, paragraph("Neither text can be read."))
        return
    alone = link("on a page of its own", diff_page(question, other.name, here.name, file))
    yield PagePart(
        "changes",
        title,
        against_form(question, here, other, file),
        *changes_parts(changes),
        paragraph(alone),
    )


def _code(question: Question, here: CodeVersion, file: str) -> PagePart:
    agent, turn = here.agent, here.turn
    labelled = labelled_code(question, agent, turn, file)
    lines = labelled.lines
    names = [each.name for each in question.run().agents]

    def address(source: LineSource) -> str:
        if source.kind == "peer" and source.peer_generation is not None:
            return code_line(question, source.peer, source.peer_generation, file, 0)
        return code_line(question, agent.name, source.since, file, 0)

    files = file_links(
        here.files(), file, lambda path: code_line(question, agent.name, turn.generation, path, 0)
    )
    if not lines:
        empty = here.read(file) is not None
        body = [paragraph("The file is empty." if empty else "The text of this file is not there.")]
    else:
        body = [
            legend(lines, names, agent.name, address),
            code_table(lines, names, agent.name, address),
        ]
    if not labelled.is_complete:
        told = f"This run is long: whose lines these are is read up to generation {labelled.upto}. "
        again = generation_page(question, agent.name, turn.generation, file=file)
        body.insert(0, note(told, link("read on", f"{again}#code")))
    why = folded(
        "What the colours mean",
        paragraph(
            "A line counts as the seed's or the agent's own if it stood in an earlier generation "
            "of this agent; as a peer's if it did not, and stands in a strategy that was in sight "
            "when it came in; else as new, the agent's own. How it came in, the adoptions tell."
        ),
    )
    return PagePart("code", f"Code: {file}", files, *body, why)


def _in_sight(question: Question, here: CodeVersion) -> Iterator[PagePart]:
    """The strategies that it could read, each with the difference to this code."""
    rows = [
        (
            link(seen.folder, generation_page(question, seen.peer, seen.generation)),
            named(seen.peer),
            str(seen.generation),
            score(seen.val),
            link(
                "difference",
                generation_page(
                    question,
                    here.agent.name,
                    here.turn.generation,
                    against=f"{seen.peer}:{seen.generation}",
                ),
            ),
        )
        for seen in here.turn.seen[:MOST_IN_SIGHT]
    ]
    if rows:
        caption = "Strategies in sight, with the scores that they were shown with"
        headings = ("folder", "agent", "generation", "val", "")
        yield PagePart(
            "in-sight", "In sight", table(headings, rows, caption=caption, numeric=(2, 3))
        )


VIEW = View("generation", "/runs/{run}/agents/{agent}/generations/{generation}", render)
