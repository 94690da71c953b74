"""Who plays in a run, and everything that their generations share."""

import os
from pathlib import Path

import msgspec

from guards.sandboxes.sandbox import Limits, Sandbox
from hyperspace.kernel.evaluation.remote_items import Elsewhere
from hyperspace.kernel.evaluation.sandboxes import Pace
from hyperspace.kernel.events import Notice, Observer
from hyperspace.kernel.feature import Feature
from hyperspace.kernel.files import sha256_hex
from hyperspace.kernel.generation.rounds import Rounds
from hyperspace.kernel.generation.sharing import PublishedStrategies
from hyperspace.kernel.records.recording import Recording
from hyperspace.kernel.selection.base import Select
from hyperspace.kernel.state.adaptations import append_adaptation
from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.closings import ClosingOrder
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.mark_writer import MarkWriter
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.state.steering.command_queue import CommandQueue
from hyperspace.kernel.state.terms import EndTerms
from hyperspace.kernel.views.nothing import AgentEffect
from hyperspace.kernel.views.run_logs import RunLogs
from hyperspace.models.base import Model
from hyperspace.models.request_fields import Adaptation
from hyperspace.options.launch import LaunchOptions
from hyperspace.spending.ledger import Ledger
from hyperspace.spending.prices import PriceTable
from hyperspace.tasks.base import Domain
from hyperspace.tracing.cache import ReplyCache
from hyperspace.tracing.spans import CallSpans


class Participant(msgspec.Struct, frozen=True):
    """One agent of a run.

    Attributes:
        name: Its slug, used in paths and scopes.
        turn: Its place in a round, from 0.
        model: The model behind its meta agent.
        eval_model: The model that its task agents call.
    """

    name: str
    turn: int
    model: Model
    eval_model: Model


class RunContext(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the generations of one run share.

    Attributes:
        config: What decides the result.
        folder: Where files go.
        marks: What the run's mark space holds.
        writer: Writes into it.
        logs: Its files of lines.
        ledger: What is paid, within the run's limits.
        prices: What models cost.
        domain: The task.
        sandbox: Where untrusted code runs.
        participants: The agents, in turn order.
        judge: The model that grades answers; None where the task needs none.
        reviewer: The model that reviews each try; None means the agent's own.
        archives: Their generations, by agent name.
        order: In which they were closed, where timing decides it.
        seed_code: Code of generation 0, path to text.
        runtime: The frozen runtime, path to content.
        select: Chooses parents.
        emit: Where events go.
        label: Names this run's sandboxes, so that leftovers can be found.
        limits: Resource bounds of each sandbox.
        pace: Time bounds.
        recording: The run that this one replays; None if it is no replay.
        elsewhere: Where blocks of items are asked; None for sandboxes of this machine.
        cache: Replies of other runs; None asks anew.
        steering: What the principal asks, and what took effect of it.
        spans: Told of each call that was made; None tells nobody.
        call_seeds: Whether each model call has a sampling seed of its own.
        rounds: Who plays in a round, and on which items.
        tester_code: Code of generation 0 of testers, path to text.
        options: As asked for; what decides the result is in `config`, too.
        notices: What observers were told once.
        features: What the run has beyond the loop, in the order in which they are asked.
        calls: What each closed generation took of a search that has a budget, by agent name.
        code: Hash of the file of each extension of the person's own, by the name of the extension.
        end: Where the run ends before its last generation.
        effects: Whether the generations of each agent came to anything, by its name; filled when
            one of them is closed.
        published: What was published before the round that is played, by its number; of agents at
            their own pace what is published by now, as round 0.
    """

    config: RunConfig
    options: LaunchOptions
    folder: RunFolder
    steering: CommandQueue
    marks: RunMarks
    writer: MarkWriter
    logs: RunLogs
    ledger: Ledger
    prices: PriceTable
    domain: Domain
    rounds: Rounds
    sandbox: Sandbox
    participants: tuple[Participant, ...]
    archives: dict[str, Archive]
    order: ClosingOrder
    seed_code: dict[str, str]
    runtime: dict[str, bytes]
    select: Select
    emit: Observer
    label: str
    limits: Limits = Limits()
    pace: Pace = Pace()
    judge: Model | None = None
    reviewer: Model | None = None
    recording: Recording | None = None
    elsewhere: Elsewhere | None = None
    cache: ReplyCache | None = None
    spans: CallSpans | None = None
    call_seeds: bool = False
    tester_code: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    notices: set[str] = msgspec.field(default_factory=set[str])
    end: EndTerms = EndTerms()
    features: tuple[Feature, ...] = ()
    code: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    calls: dict[str, list[int]] = msgspec.field(default_factory=dict[str, list[int]])
    effects: dict[str, AgentEffect] = msgspec.field(default_factory=dict[str, AgentEffect])
    published: dict[int, PublishedStrategies] = msgspec.field(
        default_factory=dict[int, PublishedStrategies]
    )

    @property
    def workers(self) -> int:
        """How many blocks of items may be under way at a time, for each candidate."""
        slots = 1 if self.elsewhere is None else self.elsewhere.executor.slots
        return max(self.options.eval_workers, slots)

    def tell_once(self, text: str) -> None:
        """Give observers a line for people, the first time that it is said."""
        if text not in self.notices:
            self.notices.add(text)
            self.emit(Notice(text))

    def note_adaptation(self, adaptation: Adaptation) -> None:
        """Put on record, and say once, what a model does not take; a run goes on without it."""
        path = self.folder.adaptations
        try:
            is_new = append_adaptation(path, adaptation)
        except OSError as error:
            is_new = True
            reason = error.strerror or str(error)
            self.tell_once(
                f"{path.name} cannot be written ({reason}), so the next start has to learn again "
                "what models do not take; put it away"
            )
        if is_new:
            self.tell_once(adaptation.text())

    def round_of(self, who: Participant, generation: int) -> int:
        """The round in which an agent plays a generation; one that joined late is behind."""
        return generation + self.config.joined(who.name)

    def in_round(self, number: int) -> tuple[Participant, ...]:
        """Who may play in a round, in order."""
        turns = self.config.turns
        return tuple(self.participants[turns[agent]] for agent in self.rounds.in_turn(number))

    def first_code(self, who: Participant) -> dict[str, str]:
        """Code that an agent starts from: the run's, or where it was forked."""
        fork = self.config.fork_of(who.name)
        if fork is not None:
            return self.marks.code(fork.source, fork.generation)
        return self.seed_code if self.config.member(who.name).role != "tester" else self.tester_code

    def clock(self, who: Participant, generation: int) -> float:
        """The logical time at which an agent closes a generation, in rounds.

        Agents at their own pace have no common round: there a round is as many closings as there
        are agents, which is what it is for agents in turns.
        """
        if self.config.together.schedule == "concurrent":
            return self.order.count / len(self.participants)
        return self.rounds.time(who.name, self.round_of(who, generation))


def run_label(folder: Path) -> str:
    """A short name for a run's sandboxes, the same after a restart."""
    return sha256_hex(os.fsencode(folder.resolve()))[:12]
