"""Each line of a generation's code with where it came from (see `measures.lineage`)."""

from runs.records import RunAgent
from transfer_experiment.adoption.lineage import LabelledLine, Lineage, lines_of


def labelled_source(agent: RunAgent, generation: int) -> list[LabelledLine]:
    """Label the lines of a generation's task agent; empty if its text is missing.

    Args:
        agent: Whose.
        generation: Which; every generation before it is read.
    """
    lineage = Lineage()
    text: str | None = None
    for turn in agent.generations:
        if turn.generation > generation:
            break
        text = turn.task.read()
        if text is not None:
            peers = [seen for seen in turn.seen if seen.peer != agent.name]
            seen = {seen.folder: lines_of(seen.task.read() or "") for seen in peers}
            lineage.take(turn.generation, text, seen)
    return [] if text is None else lineage.label(text)
