"""A run taken up again in this process, as a resume does, without going on."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from hyperspace.kernel.events import Event, GenerationClosed, Notice
from hyperspace.kernel.generation.run_context import RunContext
from hyperspace.kernel.run.limits import open_ledger
from hyperspace.kernel.run.recover import recover
from hyperspace.kernel.state.opening import working
from hyperspace.kernel.state.terms import Terms
from hyperspace.launch.existing import options_of
from hyperspace.launch.setup import assemble, choose_sandbox, record_of, set_up
from transfer_experiment.options import PairOptions


class TakenUp(NamedTuple):
    """A run that is ready to go on.

    Attributes:
        context: Who would play.
        events: What was told while it was taken up.
    """

    context: RunContext
    events: list[Event]

    @property
    def notices(self) -> list[str]:
        """What a person was told."""
        return [event.text for event in self.events if isinstance(event, Notice)]

    @property
    def newest(self) -> dict[str, int]:
        """The newest generation that was found of each agent."""
        closed = [event for event in self.events if isinstance(event, GenerationClosed)]
        return {event.agent: event.generation for event in closed}


@contextmanager
def taken_up(run: Path) -> Generator[TakenUp]:
    """Take up a paired run of offline policies while the context lasts.

    Raises:
        RunDamaged: Something of it was lost that cannot be made again.
    """
    events: list[Event] = []
    setup = set_up(options_of(run, PairOptions), events.append)
    sandbox = choose_sandbox(setup).sandbox
    terms = Terms()
    with (
        working(setup.folder, record_of(setup, sandbox)) as opened,
        open_ledger(setup.folder.ledger, terms.limits) as ledger,
    ):
        context = assemble(setup, opened, ledger, terms.table(), sandbox, events.append)
        recover(context)
        yield TakenUp(context, events)


def take_up(run: Path) -> TakenUp:
    """Take up a run and leave it."""
    with taken_up(run) as run_state:
        return run_state
