"""A research run in the form of every run: its ideas are the generations of one agent."""

from pathlib import Path
from typing import Final

import msgspec

from hyperspace.kernel.errors import RunDamaged
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.launch.validation_seen import seen_on_record
from hyperspace.research.environments.description import Goal
from hyperspace.research.loop.records import BASELINE
from hyperspace.runs.files import ReadingNotes
from hyperspace.runs.records import Generation, Run, RunAgent
from hyperspace.runs.research.reader import IdeaLine, ResearchReader
from hyperspace.runs.spent import spent_of
from markspace.errors import StoreError

EXPERIMENT: Final = "research"


def read_research_run(folder: Path) -> Run:
    """Read a research run as reports do; what is missing or damaged stands in its notes.

    Raises:
        RunUsageError: Another version wrote it, or it may not be read.
    """
    reader, notes = ResearchReader(folder), ReadingNotes(folder)
    try:
        reader.look_to_the_end()
    except (RunDamaged, StoreError) as error:
        notes.say(f"its ideas cannot be read: {error}")
    spent = spent_of(folder, {}, notes)
    seen = seen_on_record(RunFolder(folder))
    bits = None if seen is None else seen.most_bits
    return msgspec.structs.replace(
        run_of(reader), spent=spent, validation_bits=bits, notes=notes.lines()
    )


def run_of(reader: ResearchReader) -> Run:
    """Return what was read of a research run by now; nothing of what it took."""
    config = reader.record.configuration
    ideas = [idea for _, idea in sorted(reader.ideas.items())]
    agent = RunAgent(
        name="",
        generations=tuple(_generation(idea, reader.goal) for idea in ideas),
        test=None if reader.held_out is None else reader.held_out.score,
        planned=reader.planned,
        model=", ".join(config.models),
    )
    return Run(
        experiment=EXPERIMENT,
        domain=config.environment,
        arm=config.arm,
        pairing=f"{config.environment}/{config.arm}",
        seed=config.seed,
        source=str(reader.folder.root),
        agents=(agent,),
        higher_is_better=reader.goal == "max",
        finished=reader.is_finished,
        terms={"epochs": config.epochs, "explore": config.explore},
        conditions={  # what runs of all arms share; the control has one epoch
            "models": " ".join(config.models),
            "environment_sha256": config.environment_sha256,
            "ideas in all": str(config.epochs * config.ideas),
            "repairs": str(config.repairs),
        },
        unit="idea",
    )


def fitness_of(score: float, goal: Goal) -> float | None:
    """Return what a score is ranked by, in [0, 1], where less is better; None where the score is.

    Falls from 1 to 0 while the score rises.
    """
    if goal == "max":
        return None
    return 0.5 / (1 + score) if score >= 0 else 1 - 0.5 / (1 - score)


def _generation(idea: IdeaLine, goal: Goal) -> Generation:
    return Generation(
        generation=idea.number,
        parent=None if idea.number == BASELINE else idea.parent,
        valid=idea.score is not None,
        error=f"{idea.state}: {idea.reason}" if idea.score is None else "",
        val=idea.score,
        fitness=None if idea.score is None else fitness_of(idea.score, goal),
    )
