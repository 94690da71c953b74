"""One try at a generation: its work folder, its trace, its line to the models.

What a killed coordinator left of an earlier try is set aside; its finished model calls are
served from there, so that nothing is paid twice but what was in flight.
"""

import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from msgspec import UNSET, UnsetType

from guards.content.secrets import mask_secrets
from hyperspace.broker.refusal import BrokerRefusal
from hyperspace.kernel.evaluation.attempt_log import AttemptLog
from hyperspace.kernel.evaluation.outages import raise_outage
from hyperspace.kernel.evaluation.raised_needs import RaisedNeeds
from hyperspace.kernel.evaluation.sandboxed import SandboxedEvaluation
from hyperspace.kernel.evaluation.sandboxes import AttemptSandboxes
from hyperspace.kernel.evaluation.timeouts import PROTOCOL, ReplayedTimeouts
from hyperspace.kernel.events import ModelCalled, Notice, ReplyGrowing, Step, StepReached
from hyperspace.kernel.generation.call_budget import WithinBudget, calls_before, search_budget
from hyperspace.kernel.generation.candidate import Candidate
from hyperspace.kernel.generation.observing.watch import EditLog
from hyperspace.kernel.generation.run_context import Participant, RunContext
from hyperspace.kernel.printable_error import printable_error
from hyperspace.kernel.state.folder import TEST_WORK, TRACE
from hyperspace.kernel.state.manifest import Manifest, Role, Violation
from hyperspace.kernel.state.rng import stream
from hyperspace.messages import CallKey, CallPlace, ChatRequest, Message
from hyperspace.models.base import (
    BadRequest,
    ContextOverflow,
    Model,
    ModelError,
    PlacedModel,
    address_of,
)
from hyperspace.models.names import split_name
from hyperspace.models.request_fields import adaptations_to
from hyperspace.models.streaming import reporting_progress
from hyperspace.spending.ledger_lines import Account
from hyperspace.spending.metered import Payer, paying
from hyperspace.tracing.calls import CallRecord, call_id, sealed_call
from hyperspace.tracing.traces import Recorder, Served, Trace, merge_traces
from hyperspace.workspace.seed_code import runtime_files, seed_files

MOST_MASKED: Final = 4_000  # characters of a reply that are searched for secrets


class Took(NamedTuple):
    """The cost of an attempt, as in its metadata.json.

    Attributes:
        attempt: Number of abandoned attempts before it.
        calls: Model calls made or served.
        cost_usd: What they cost; None when a price is unknown.
        seconds: Its wall time.
    """

    attempt: int
    calls: int
    cost_usd: float | None
    seconds: float


class Attempt(AbstractContextManager["Attempt"]):
    """A try at one generation (or at the final evaluation) of one agent."""

    def __init__(self, context: RunContext, who: Participant, generation: int, name: str) -> None:
        self.context = context
        self.who = who
        self.generation = generation
        self.name = name
        self.edit_scope = context.config.edit_scope(who.name)
        self.solo = context.config.solo
        self.is_given_up = name != TEST_WORK and context.steering.is_given_up(who.name, generation)
        context.writer.check_ours()
        self.number = len(context.folder.abandoned_attempts(who.name, name))
        self.folder = context.folder.work(who.name, name)
        self.folder.mkdir(parents=True)
        self.started = time.monotonic()
        self.call_count = 0
        self.cost_usd: float | None = 0.0
        self.diverged = 0
        self.log = AttemptLog()
        self.before_reply: Callable[[], None] | None = None  # to a modification
        self._answered_by: dict[str, set[str]] = {}
        self._last_words: str | UnsetType = UNSET
        self._is_called = False
        recording = context.recording
        self.record = None if recording is None else recording.attempt(who.name, name)
        self.recorder = Recorder(
            self.folder / TRACE, self._served(), self._on_call, self._asking, context.cache
        )
        record = self.record
        self.needs = RaisedNeeds(
            agent=who.name,
            generation=generation,
            writer=context.writer,
            steering=context.steering,
            emit=context.emit,
            run=context.folder.root,
            playback=record and record.playback,
            recorded=() if record is None else record.needs,
        )
        self.sandboxes = AttemptSandboxes(
            sandbox=context.sandbox,
            limits=context.limits,
            label=context.label,
            config=context.config,
            agent=who.name,
            generation=generation,
            attempt=name,
            seeds=runtime_files(needs=context.config.needs) | seed_files(),
            recorder=self.recorder,
            log=self.log,
            raise_need=self.needs.put if context.config.needs else None,
            elsewhere=context.elsewhere,
            call_seeds=context.call_seeds,
            what_is_left=self._what_is_left,
            replayed=record and ReplayedTimeouts(record.timeouts, record.playback, self.recorder),
        )

    def __exit__(self, *_error: object) -> None:
        self.recorder.close()

    def reach(self, step: Step) -> None:
        """Tell observers that a step begins."""
        self.context.emit(StepReached(self.who.name, self.generation, step))

    def took(self) -> Took:
        """Return what this attempt has cost up to now."""
        seconds = round(time.monotonic() - self.started, 3)
        return Took(self.number, self.call_count, self.cost_usd, seconds)

    def candidate_folder(self, role: Role) -> Path:
        """Where what was observed of a candidate goes; each of a tournament has its own folder."""
        return self.folder / role

    def edit_log(self, role: Role) -> EditLog:
        """Where the edits of a candidate are recorded."""
        return EditLog(self.candidate_folder(role), lambda: self.call_count)

    def refused(self) -> list[Violation]:
        """Return what brokers refused, in an order that does not depend on who was faster."""
        return list(map(_violation, self.log.refusals()))

    def evaluation(self, candidate: Candidate) -> SandboxedEvaluation:
        """Return what the evaluation of a candidate needs of this attempt."""
        context, is_final = self.context, self.name == TEST_WORK
        files = {path: text.encode() for path, text in candidate.code.items()}
        return SandboxedEvaluation(
            # Test is the same in each round; the last one may not have come.
            domain=context.domain
            if is_final
            else context.rounds.domain(self.who.name, self.generation),
            sandboxes=self.sandboxes,
            files=files | context.runtime,
            model=self.who.eval_model,
            generation=candidate.generation,
            role=candidate.role,
            pace=context.pace,
            workers=context.workers,
            emit=context.emit,
            folder=self.candidate_folder(candidate.role),
            ask_judge=partial(self.ask, model=self.context.judge),
            is_ours=self.is_first_code(candidate),
        )

    def is_first_code(self, candidate: Candidate) -> bool:
        """Return whether a candidate's code is still what the run itself gave its agent."""
        context = self.context
        is_forked = context.config.fork_of(self.who.name) is not None
        return not is_forked and candidate.code == context.first_code(self.who)

    def stream(self, name: str) -> Random:
        """Return random numbers for one use in this generation, the same when it is made again."""
        return stream(self.context.config.root_seed, name, self.who.name, self.generation)

    async def ask(self, key: CallKey, prompt: str, model: Model | None = None) -> str:
        """Ask a model something in the host's name, on record like every call.

        Args:
            key: Where the call belongs.
            prompt: What is asked.
            model: Who is asked; None for the agent's own model.

        Returns:
            What it said; empty where the provider refused to answer.

        Raises:
            RunPaused: The model is down.
        """
        model = model or self.who.model
        request = ChatRequest(
            model=split_name(model.name).model,
            messages=(Message("user", prompt),),
            seed=self.sandboxes.model_seed(*key.item.split("/")),
        )
        placed = isinstance(model, PlacedModel)
        ask = partial(model.answer_at, self.name, key) if placed else model.complete
        cached_as = "" if placed else f"{model.name} {address_of(model)}"
        try:
            return (await self.recorder.answer(key, request, ask, cached_as)).text
        except (BadRequest, ContextOverflow):
            return ""
        except ModelError as outage:
            raise_outage(outage)

    def answered_by(self) -> dict[str, tuple[str, ...]]:
        """Model names as asked, and the ids that providers returned for them."""
        return {model: tuple(sorted(ids)) for model, ids in sorted(self._answered_by.items())}

    def said(self) -> str | UnsetType:
        """Return the last words of a model that called no tool to modify code, in one line."""
        return UNSET if self._is_called else self._last_words

    def _note_words(self, call: CallRecord) -> None:
        """Note what a reply to the meta agent held; results of tools show calls in its text."""
        results = any(
            message.get("role") == "tool" or str(message.get("content")).startswith("<tool_result>")
            for message in call.messages
        )
        self._is_called |= bool(call.tool_calls) or results
        words = call.error.message if call.error else call.response or ""
        self._last_words = printable_error(mask_secrets(words[:MOST_MASKED]))

    def _what_is_left(self) -> str:
        left = self.context.config.iterations_left(self.who.name, self.generation)
        changes = "1 more change" if left == 1 else f"{left} more changes"
        usd = self.context.ledger.left_usd()
        return changes if usd is None else f"{changes}, ${usd:.2f} for all agents"

    def _served(self) -> Served | None:
        budget = None if self.name == TEST_WORK else search_budget(self.context)
        if budget is None:
            return self._finished_calls()
        before = calls_before(self.context, self.who)
        finished = self._finished_calls() or Trace()
        return WithinBudget(finished, budget, lambda: before + self.call_count)

    def _finished_calls(self) -> Served | None:
        if self.record is not None:
            return self.record.playback
        earlier = self.context.folder.abandoned_attempts(self.who.name, self.name)
        return merge_traces(path / TRACE for path in earlier) if earlier else None

    @contextmanager
    def _asking(self, key: CallKey) -> Generator[None]:
        """Say who pays for a call; tell of a long reply, and of what the model does not take.

        Raises:
            ModelError: There is no reply; it says to which call.
        """
        where = self.who.name, self.generation, key.purpose
        payer = Payer(self.context.ledger, self.context.prices, Account(*where, call_id(key)))

        def report(tokens: int) -> None:
            self.context.emit(ReplyGrowing(*where, tokens))

        told = adaptations_to(self.context.note_adaptation)
        with paying(payer), reporting_progress(report), told:
            try:
                yield
            except ModelError as error:
                is_final = self.name == TEST_WORK
                error.place = CallPlace(*where[:2], call_id(key), is_final=is_final)
                raise

    def compare(self, manifest: Manifest) -> None:
        """In a replay, hold what was closed against the record.

        Raises:
            ReplayMismatch: It is not what was recorded.
        """
        if self.record is not None:
            self.record.compare(manifest)

    def _on_call(self, call: CallRecord) -> None:
        if call.purpose == "modify":
            self._note_words(call)
            if self.before_reply is not None:
                self.before_reply()
        self.call_count += 1
        self._answered_by.setdefault(call.model, set()).update(filter(None, [call.returned_model]))
        self.log.add_call(sealed_call(call))
        if call.divergence:
            self._diverge(call)
        if self.context.spans is not None and not call.served:
            self.context.spans.tell(self.who.name, self.generation, call)
        if self.cost_usd is None or call.cost_usd is None:
            self.cost_usd = None
        else:
            self.cost_usd += call.cost_usd
        where = self.who.name, self.generation, call.purpose
        self.context.emit(ModelCalled(*where, call.served, call.cost_usd, call.cached))

    def _diverge(self, call: CallRecord) -> None:
        self.diverged += 1
        if self.diverged == 1:
            where = f"{self.who.name} gen {self.generation}, {call.call_id}: {call.divergence}"
            text = "a recorded agent is asked what it was not; adoption is not valid from here on"
            self.context.emit(Notice(f"{text} ({where})"))


def _violation(refusal: BrokerRefusal) -> Violation:
    topic = "budget" if refusal.kind == "budget" else "attack"
    tried = "unasked or unreadable answer to the host"
    if refusal.kind != PROTOCOL:
        tried = f"{refusal.kind} request to the broker"
    what = f"{tried} during {refusal.purpose}"
    return Violation(topic, what, "", "refused", refusal.detail, {"item": refusal.item})
