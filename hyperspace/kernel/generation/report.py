"""Step 8: what people and tools read. All of it is a view of the space and can be made again."""

from msgspec import UNSET, UnsetType

from hyperspace.kernel.events import GenerationClosed, Nothing, Notice
from hyperspace.kernel.files import pretty_json, write_atomically
from hyperspace.kernel.generation.run_context import Participant, RunContext
from hyperspace.kernel.state.anchor import anchor
from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.config import read_record
from hyperspace.kernel.state.manifest import TEST, Closing, Incident
from hyperspace.kernel.views.nothing import LEAST_TOLD, AgentEffect


def report(context: RunContext, who: Participant, closing: Closing) -> None:
    """Take a closed generation into the archive, the views and the progress display."""
    archive = context.archives[who.name]
    entry = archive.add(closing.manifest)
    if context.config.side_by_side:
        context.order.add(who.name, entry.generation)
    context.writer.check_ours()
    context.logs.add(entry, closing)
    write_summary(context, who)
    anchor_closing(context, closing)
    nothing = _nothing_so_far(context, who, closing)
    context.emit(closed_event(closing, archive, nothing))
    if nothing is not UNSET and (told := f"{who.name} came to nothing") not in context.notices:
        context.notices.add(told)
        advice = nothing.advice(str(context.folder.root), who.name)
        context.emit(Notice(f"{who.name}: {nothing.sentence}; {advice}"))


def _nothing_so_far(context: RunContext, who: Participant, closing: Closing) -> Nothing | UnsetType:
    """Return what is said of an agent that has come to nothing so far, from some generations on."""
    if (progress := context.effects.get(who.name)) is None:
        progress = context.effects[who.name] = AgentEffect()
        for generation in range(int(closing.manifest.generation)):
            if progress.came_to_something:
                break
            progress.take(context.marks.closing(who.name, generation))
    progress.take(closing)
    nothing = progress.nothing
    return UNSET if nothing is None or nothing.generations < LEAST_TOLD else nothing


def anchor_closing(context: RunContext, closing: Closing) -> None:
    """Append the head of the audit chain to the file outside the run, if there is one.

    Raises:
        RunError: It cannot be written.
    """
    if context.options.anchor is not None:
        record, manifest = read_record(context.folder.record), closing.manifest
        head = context.marks.audit_head()
        anchor(context.options.anchor, record, manifest.agent, manifest.generation, head)


def write_summary(context: RunContext, who: Participant) -> None:
    """Write an agent's summary.json."""
    summary = context.archives[who.name].summary() | {"model_name": who.model.name}
    write_atomically(context.folder.agent_summary(who.name), pretty_json(summary))


def record_incident(context: RunContext, incident: Incident) -> None:
    """Put an incident on record: in the space, and in the audit that is a view of it."""
    context.writer.check_ours()
    context.writer.record(incident)
    context.logs.add_incident(incident)


def closed_event(
    closing: Closing, archive: Archive, nothing: Nothing | UnsetType = UNSET
) -> GenerationClosed:
    """Return the event of a closed generation.

    Args:
        closing: Its closing.
        archive: Of its agent.
        nothing: What is said of an agent that has come to nothing so far.
    """
    manifest = closing.manifest
    if manifest.generation == TEST:
        raise TypeError("the final evaluation is no generation")
    return GenerationClosed(
        agent=manifest.agent,
        generation=manifest.generation,
        valid=manifest.valid,
        train_score=manifest.score("train"),
        val_score=manifest.score("val"),
        best_val=None if archive.best is None else archive.best.val_score,
        error=manifest.error,
        seconds=closing.seconds,
        calls=closing.calls,
        cost_usd=closing.cost_usd,
        results_of=closing.results_of,
        nothing=nothing,
    )
