"""A generation of a run that is there, with its task, to be looked at and not executed."""

from pathlib import Path
from typing import NamedTuple

from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.generation.rounds import epoch_domain
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import TEST, Manifest
from hyperspace.kernel.state.opening import reading
from hyperspace.launch.address import read_address
from hyperspace.launch.run_domain import domain_of
from hyperspace.tasks.base import Domain, Split


class RecordedGeneration(NamedTuple):
    """What the space holds of a generation, and where its files are.

    Attributes:
        run: The run's folder.
        manifest: The generation's, or the final evaluation's.
        folder: Where its files lie.
        domain: The run's task, with the validation items of that generation.
    """

    run: Path
    manifest: Manifest
    folder: Path
    domain: Domain


def find_recorded(
    address: str, split: Split, domain: str | None, data: Path | None
) -> RecordedGeneration:
    """Find the generation that an address names; of test, the agent's final evaluation.

    Args:
        address: RUN, RUN#AGENT or RUN#AGENT/gen_N; without a number the agent's best.
        split: What is asked about.
        domain: The run's domain as a person names it; needed where it is code in a file.
        data: Folder of its data; None for the recorded one.

    Raises:
        RunUsageError: There is no such run, agent or generation, or the domain is not the run's.
        DomainError: The domain cannot be loaded.
    """
    named = read_address(address)
    record = read_record_of(named.run)
    config, folder = record.configuration, RunFolder(named.run)
    task = domain_of(record, "play", domain, data, named.run)
    with reading(folder, config) as marks:
        agent = named.agent_of(config)
        if split == TEST and named.generation is None:
            *_, closing = marks.closings(agent)
            if closing.manifest.generation != TEST:
                raise RunUsageError(f"{address}: {agent} was not evaluated on test yet")
            return RecordedGeneration(named.run, closing.manifest, folder.closed(closing), task)
        number = named.generation_of(marks, agent)
        closing = marks.closing(agent, number)
        task = epoch_domain(task, config, number)
        return RecordedGeneration(named.run, closing.manifest, folder.closed(closing), task)
