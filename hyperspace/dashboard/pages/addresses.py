"""Addresses of pages about one generation, and of places that records name."""

import re
from typing import Final

from hyperspace.dashboard.question import Question
from hyperspace.dashboard.results.arrows import UNNAMED, adoption_id
from hyperspace.runs.files import META, TASK
from hyperspace.runs.records import Run, RunAgent
from transfer_experiment.adoption.events import Adoption

_OF_GENERATION: Final = re.compile(r"(?:([^/]+)/)?gen_(\d{1,9})/([^/]+)")
_OF_STRATEGY: Final = re.compile(r"strategies/([^/]+)/(.+)")
_NAMED_GENERATION: Final = re.compile(r".*_gen(\d{1,9})")
_TRACE: Final = "llm_calls.jsonl"
MOST_BACK: Final = 100  # generations that are looked through for a strategy


def run_page(question: Question, *below: str | int, **query: str | int) -> str:
    """Return the address of a page about the run of the question."""
    return question.links.page("runs", question.path["run"], *below, **query)


def generation_page(
    question: Question, agent: str, generation: int, *below: str, **query: str | int
) -> str:
    """Return the address of the page of a generation, or of one below it."""
    name = agent or UNNAMED
    return run_page(question, "agents", name, "generations", generation, *below, **query)


def trace_page(question: Question, agent: str, generation: int, line: int = 0) -> str:
    """Return the address of a trace, or of one of its lines from 1."""
    address = generation_page(
        question, agent, generation, "trace", **({"from": line} if line else {})
    )
    return f"{address}#line-{line}" if line else address


def diff_page(question: Question, before: str, after: str, file: str = TASK) -> str:
    """Return the address of the difference between two generations, each as `AGENT:N`."""
    return run_page(question, "diff", a=before, b=after, file=file)


def named_place(question: Question, agent: RunAgent, generation: int, file: str, line: int) -> str:
    """Return the address of a place that a path or evidence names; empty if no page has it.

    Args:
        question: The question.
        agent: Whose generation it is evidence about.
        generation: Which.
        file: As the record names it: relative to the run, or below `strategies/`.
        line: Line number in it from 1; 0 for none.
    """
    if match := _OF_GENERATION.fullmatch(file):
        name, number = match[1] or "", int(match[2])
        if match[3] == _TRACE:
            return trace_page(question, name, number, line)
        return generation_page(question, name, number) + f"#{match[3].partition('.')[0]}"
    if match := _OF_STRATEGY.fullmatch(file):
        source = strategy_source(agent, generation, match[1])
        if source is not None and match[2] in (TASK, META):
            return code_line(question, source[0], source[1], match[2], line)
    return ""


def code_line(question: Question, agent: str, generation: int, file: str, line: int) -> str:
    """Return the address of a line of a generation's code."""
    query = {} if file == TASK else {"file": file}
    address = generation_page(question, agent, generation, **query)
    return f"{address}#L{line}" if line else f"{address}#code"


def strategy_source(agent: RunAgent, generation: int, folder: str) -> tuple[str, int] | None:
    """Return whose strategy a folder was, and of which generation, when it was last in sight.

    Args:
        agent: Who had it in sight.
        generation: In this generation, or in one of the hundred before.
        folder: Its name below `strategies/`.
    """
    for at in range(agent.index(generation), -1, -1)[: MOST_BACK + 1]:
        turn = agent.generations[at] if at < len(agent.generations) else None
        if turn is not None and turn.generation <= generation:
            for seen in turn.seen:
                if seen.folder == folder:
                    return seen.peer, seen.generation
    return None


def event_id(run: Run, event: Adoption) -> str:
    """Return the id of the element that shows an adoption event."""
    agent, folder = run.agent(event.agent), event.strategy.rpartition("/")[2]
    source = strategy_source(agent, event.generation, folder)
    named = _NAMED_GENERATION.fullmatch(folder)
    number = source[1] if source is not None else int(named[1]) if named else folder
    return adoption_id(agent.name, event.generation, event.peer, number)
