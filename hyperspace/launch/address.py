"""Addresses of what a run holds: RUN, RUN#AGENT, RUN#AGENT/gen_N or, shorter, RUN#AGENT/N."""

import re
from pathlib import Path
from typing import Final, NamedTuple

from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.manifest import TEST
from hyperspace.kernel.state.marks import RunMarks

_ADDRESS: Final = re.compile(
    r"(?P<run>.+?)(?:#(?P<agent>[^/#]+)(?:/(?P<number>\d{1,9}))?)?(?:/gen_(?P<generation>\d{1,9}))?/?"
)


class RunAddress(NamedTuple):
    """An address, taken apart.

    Attributes:
        text: As it was written, with the option before it.
        run: The run's folder; it is there.
        agent: None where none is named.
        generation: None where none is named.
    """

    text: str
    run: Path
    agent: str | None
    generation: int | None

    def agent_of(self, config: RunConfig) -> str:
        """Return the agent that is named, or the only one that there is.

        Raises:
            RunUsageError: It is not an agent of the run.
        """
        agents = config.agents
        agent = agents[0] if self.agent is None and len(agents) == 1 else self.agent
        if agent is None or agent not in agents:
            raise RunUsageError(f"{self.text}: name one of its agents, as #{' or #'.join(agents)}")
        return agent

    def generation_of(self, marks: RunMarks, agent: str) -> int:
        """Return the generation that is named, or the agent's best.

        Raises:
            RunUsageError: There is none.
        """
        archive = Archive(agent)
        for closing in marks.closings(agent):
            if closing.manifest.generation != TEST:
                archive.add(closing.manifest)
        number = self.generation
        if number is None and archive.best is not None:
            return archive.best.generation
        if number is not None and number < len(archive.entries):
            return number
        which = (
            "no generation that was ever scored" if number is None else f"no generation {number}"
        )
        raise RunUsageError(f"{self.text}: {agent} has {which}")


def read_address(text: str, option: str = "") -> RunAddress:
    """Take an address apart.

    Args:
        text: The address.
        option: The option that it is the value of, for messages.

    Raises:
        RunUsageError: It is none, or there is no such folder.
    """
    told, match = f"{option} {text}".strip(), _ADDRESS.fullmatch(text)
    if match is None:
        raise RunUsageError(
            f"{option} {text!r}".strip() + " is not RUN, RUN#AGENT or RUN#AGENT/gen_N"
        )
    run, number = Path(match["run"]), match["number"] or match["generation"]
    if not run.is_dir():
        raise RunUsageError(f"{told}: there is no folder {run}")
    return RunAddress(told, run, match["agent"], None if number is None else int(number))
