"""One generation of any run, by its address: its record, code, diff, prompt and error."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from guards.scope.unified import unified_diff
from hyperspace.kernel.errors import RunUsageError
from hyperspace.launch.address import read_address
from hyperspace.runs.files import META, TASK, StoredText
from hyperspace.runs.finding import read_scored_folder
from hyperspace.runs.records import Generation, Run, RunAgent
from hyperspace.runs.research.kind import require_no_research


class Place(NamedTuple):
    """What an address names.

    Attributes:
        address: As it was written.
        folder: The run's.
        run: The run, as it was read.
        agent: None where none is named and there are several.
        generation: None where none is named.
    """

    address: str
    folder: Path
    run: Run
    agent: RunAgent | None
    generation: Generation | None

    def one_agent(self) -> RunAgent:
        """Return the agent that is named, or the only one that there is.

        Raises:
            RunUsageError: None is named, and there are several.
        """
        if self.agent is None:
            there = " or #".join(agent.name for agent in self.run.agents)
            raise RunUsageError(f"{self.address}: name one of its agents, as #{there}")
        return self.agent


def find_place(address: str) -> Place:
    """Read the run of an address, and find what it names.

    Raises:
        RunUsageError: There is no such run, agent or generation, or it is a research run.
    """
    named = read_address(address)
    require_no_research(named.run, "hyperspace report and hyperspace dashboard show its ideas")
    run = read_scored_folder(named.run)
    if not run.agents:
        raise RunUsageError(f"{named.run} holds no run; hyperspace runs lists those below a folder")
    agent, number = _agent(run, named.agent, address), named.generation
    place = Place(address, named.run, run, agent, None)
    if number is None:
        return place
    agent = place.one_agent()
    generation = agent.turn(number)
    if generation is None:
        last = agent.generations[-1].generation if agent.generations else "none"
        raise RunUsageError(f"{address}: there is no generation {number}; the last is {last}")
    return place._replace(generation=generation)


def _agent(run: Run, name: str | None, address: str) -> RunAgent | None:
    if name is None:
        return run.agents[0] if len(run.agents) == 1 else None
    for agent in run.agents:
        if agent.name == name:
            return agent
    there = ", ".join(agent.name or "one without a name" for agent in run.agents)
    raise RunUsageError(f"{address}: there is no agent {name}; there are: {there}")


def code_of(generation: Generation) -> dict[str, str]:
    """Return an agent's own files in a generation, by path; those that cannot be read are left out.

    The runtime, which no agent can edit, is not among them.

    Raises:
        RunUsageError: None can be read.
    """
    files: Mapping[str, StoredText] = {
        TASK: generation.task,
        META: generation.meta,
        **generation.own_files,
    }
    texts = {path: text.read() for path, text in files.items()}
    read = {path: text for path, text in texts.items() if text is not None}
    if not read:
        raise RunUsageError(f"the code of generation {generation.generation} is not there")
    return read


def diff_of(agent: RunAgent, generation: Generation) -> str:
    """Return the diff from the code that a generation started from; of the first one from nothing.

    Raises:
        RunUsageError: Its code is not there, or that of the generation that it started from.
    """
    code = code_of(generation)
    if generation.origin is None:
        return unified_diff({}, code)
    origin = agent.turn(generation.origin)
    if origin is None:
        raise RunUsageError(
            f"generation {generation.generation} started from {generation.origin}, "
            "which is not there"
        )
    return unified_diff(code_of(origin), code)


def prompt_of(generation: Generation) -> list[str]:
    """Return what the model was asked when the generation began, a text a message.

    Raises:
        RunUsageError: The trace cannot be read, or no model was asked.
    """
    with generation.trace.open() as trace:
        if trace.problem:
            raise RunUsageError(f"the trace {generation.trace.name} {trace.problem}")
        for line in trace.lines():
            if line.of_meta_agent:
                return [text.text for text in line.shown]
    raise RunUsageError(f"no model was asked in generation {generation.generation}")
