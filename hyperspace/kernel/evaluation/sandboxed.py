"""Evaluation of one candidate in sandboxes of an attempt: its workers, its evaluator, its gates."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import anyio
import msgspec
from anyio.abc import TaskGroup

from guards.gates import GATE, GateResult, run_gates
from hyperspace.broker.broker import Broker
from hyperspace.broker.refusal import BrokerRefusal
from hyperspace.executor.background import background
from hyperspace.kernel.evaluation.answers import keep_answers
from hyperspace.kernel.evaluation.assess import JUDGE, AskJudge, Assessor
from hyperspace.kernel.evaluation.attempt_log import item_label
from hyperspace.kernel.evaluation.block import answer_cpu_s
from hyperspace.kernel.evaluation.evaluate import pass_names
from hyperspace.kernel.evaluation.evaluator import Evaluator, ItemQuestion
from hyperspace.kernel.evaluation.kept.elsewhere import KeptElsewhere
from hyperspace.kernel.evaluation.kept.held import HeldContext
from hyperspace.kernel.evaluation.kept.here import KeptHere
from hyperspace.kernel.evaluation.outages import raise_if_down
from hyperspace.kernel.evaluation.remote_items import Ahead
from hyperspace.kernel.evaluation.sandboxes import CODE_SHARES, KEPT_SHARES, AttemptSandboxes, Pace
from hyperspace.kernel.evaluation.scoring_sandbox import runner
from hyperspace.kernel.evaluation.timeouts import PROTOCOL, TimedSandbox
from hyperspace.kernel.events import ItemEvaluated, Observer
from hyperspace.kernel.printable_error import printable_error
from hyperspace.kernel.state.manifest import Role
from hyperspace.kernel.state.rng import stream
from hyperspace.messages import CallKey
from hyperspace.models.base import Model
from hyperspace.models.names import asked_name
from hyperspace.tasks.base import Composite, Domain, Item, Split
from hyperspace.tasks.shapes.interactive import Interactive


class SandboxedEvaluation(msgspec.Struct, frozen=True, kw_only=True):
    """The evaluation of one candidate, with all that it needs as plain values.

    Attributes:
        domain: The task.
        sandboxes: Those of the attempt.
        files: The candidate's code and the frozen runtime, path to content.
        model: The model that its task agent calls.
        generation: Number of the candidate's generation; part of what orders items.
        role: The candidate's part in a tournament; empty where it is the only one.
        pace: Time bounds.
        workers: How many workers may be busy at a time; decides no result.
        emit: Told of each evaluated item.
        folder: Where answers go that the record does not hold.
        ask_judge: Asks the judge of the run.
        is_ours: Whether the candidate's code is what the run began with.
    """

    domain: Domain
    sandboxes: AttemptSandboxes
    files: Mapping[str, bytes]
    model: Model
    generation: int
    role: Role
    pace: Pace
    workers: int
    emit: Observer
    folder: Path
    ask_judge: Callable[[CallKey, str], Awaitable[str]]
    is_ours: bool = False

    def evaluator(self) -> Evaluator:
        """Return where the candidate is evaluated, with a repeat for each further pass."""
        first, *repeats = map(self._evaluator, pass_names(self.sandboxes.config.repeats))
        return msgspec.structs.replace(first, repeats=repeats)

    @asynccontextmanager
    async def after_gates(self) -> AsyncGenerator[tuple[GateResult, Evaluator]]:
        """Run the gates; train then goes on in their sandbox where code answers alone.

        Raises:
            RunPaused: The evaluation model is down.
        """
        async with background() as tasks:
            gates = await self._try_gates(tasks)
            if gates.result.ended == "wall_clock":
                # The machine may have been busy: a timeout counts from the second time on.
                await gates.held.leave()
                gates = await self._try_gates(tasks)
            evaluator, elsewhere = self.evaluator(), KeptElsewhere(self._open_stage, tasks)
            if not (gates.result.passed and self._goes_on):
                await gates.held.leave()
            elif evaluator.open_ahead is None or isinstance(self.domain, Interactive):
                kept = KeptHere(gates.worker, gates.held)
                evaluator = msgspec.structs.replace(evaluator, kept=kept)
            else:
                await gates.held.leave()
                evaluator = msgspec.structs.replace(evaluator, kept=elsewhere)
            try:
                yield gates.result, evaluator
            finally:
                await elsewhere.close()
                with anyio.CancelScope(shield=True):
                    await gates.held.leave()

    async def pass_gates(self) -> GateResult:
        """Run the gates alone.

        Raises:
            RunPaused: The evaluation model is down.
        """
        async with self.after_gates() as (result, _):
            return result

    @property
    def _goes_on(self) -> bool:
        """Whether items are asked in the sandbox of the gates."""
        domain = self.domain
        is_plain = not isinstance(domain, Composite) and self.sandboxes.config.repeats == 1
        return is_plain and not domain.calls_model and answer_cpu_s(domain) is None

    async def _try_gates(self, tasks: TaskGroup) -> "_Gates":
        smoke = self.domain.smoke_item()
        held = HeldContext(self._open_worker(shares=KEPT_SHARES if self._goes_on else 1))
        worker = await held.enter(tasks)
        worker.broker.begin_item("gate", item_label(self.role, smoke.id))
        try:
            result = await run_gates(
                worker.running,
                smoke.inputs,
                worker.model,
                self.pace.gate_s,
                token=self._smoke_token(),
            )
            raise_if_down(worker.broker)
        except BaseException:  # whatever it is: what goes wrong when it is left is told first
            with anyio.CancelScope(shield=True):
                await held.leave()
            raise
        worker.tell_refusals()
        if result.is_forged:
            told = printable_error(result.error)
            self.sandboxes.log.add_refusals([BrokerRefusal(PROTOCOL, told, *worker.broker.work)])
        return _Gates(worker, held, result)

    def _smoke_token(self) -> str:
        return f"{self._stream('', 'gates').getrandbits(64):016x}"

    def _evaluator(self, in_pass: str) -> Evaluator:
        solo = self.sandboxes.config.solo
        sandbox, label = self.sandboxes.sandbox, self.sandboxes.label
        assessor = Assessor(self.domain, runner(sandbox, label), self._ask_judge(in_pass))
        return Evaluator(
            domain=self.domain,
            open_worker=partial(self._open_block, in_pass),
            open_player=partial(self._open_worker, in_pass, shares=self._shares()),
            open_ahead=(
                None if self.sandboxes.elsewhere is None else partial(self._open_ahead, in_pass)
            ),
            rng=partial(self._stream, in_pass),
            on_item=lambda split, done, total: self.emit(
                ItemEvaluated(self.sandboxes.agent, self.sandboxes.generation, split, done, total)
            ),
            workers=self.workers,
            staged=solo is None or solo.staged,
            on_settled=partial(self._settle, in_pass),
            assess=assessor.prediction,
            keep_answers=partial(keep_answers, self.folder, in_pass),
        )

    def _stream(self, in_pass: str, name: str) -> Random:
        # With the hash of the sealed data in the key, knowing the run seed does not tell the order.
        parts = (self.sandboxes.agent, self.generation, *filter(None, (self.role, in_pass)))
        config = self.sandboxes.config
        return stream(config.root_seed, config.data_sha256, "order", *parts, name)

    def _settle(self, in_pass: str, split: str, *settled: Sequence[str]) -> None:
        counted, dropped = (
            [
                (split, item_label(self.role, in_pass, item, part))
                for item in items
                for part in ("", JUDGE)
            ]
            for items in settled
        )
        self.sandboxes.log.settle(counted, dropped)

    def _ask_judge(self, in_pass: str) -> AskJudge:
        async def ask(split: Split, item: str, number: int, prompt: str) -> str:
            label = item_label(self.role, in_pass, item, JUDGE)
            return await self.ask_judge(CallKey(split, label, number), prompt)

        return ask

    def _shares(self, cpu_s: int | None = None) -> int:
        """How many shares a block's sandbox has: an answer that is bounded has its own."""
        return 1 if self.domain.calls_model or cpu_s is not None else CODE_SHARES

    def _open_block(
        self, in_pass: str, cpu_s: int | None
    ) -> "AbstractAsyncContextManager[_SandboxWorker]":
        return self._open_worker(in_pass, cpu_s, self._shares(cpu_s))

    @asynccontextmanager
    async def _open_worker(
        self, in_pass: str = "", cpu_s: int | None = None, shares: int = 1
    ) -> "AsyncGenerator[_SandboxWorker]":
        async with self.sandboxes.start(
            "worker",
            self.files,
            self.model,
            self.role,
            in_pass,
            cpu_s,
            shares=shares,
            is_ours=self.is_ours,
        ) as (running, broker):
            label = partial(item_label, self.role, in_pass)
            yield _SandboxWorker(
                running, broker, asked_name(self.model.name), self.pace.item_s, label
            )

    def _open_ahead(
        self, in_pass: str, cpu_s: int | None, questions: Sequence[ItemQuestion]
    ) -> "AbstractAsyncContextManager[_SandboxWorker]":
        return self._open_elsewhere(questions, in_pass, cpu_s, self._shares(cpu_s))

    def _open_stage(
        self, questions: Sequence[ItemQuestion], asked: int
    ) -> "AbstractAsyncContextManager[_SandboxWorker]":
        smoke = ItemQuestion(self.domain.smoke_item(), self._smoke_token())
        gates = [GATE, predict_frame(smoke, asked_name(self.model.name))]
        return self._open_elsewhere(questions, before=gates, asked=asked, shares=KEPT_SHARES)

    @asynccontextmanager
    async def _open_elsewhere(
        self,
        questions: Sequence[ItemQuestion],
        in_pass: str = "",
        cpu_s: int | None = None,
        shares: int = 1,
        before: Sequence[Mapping[str, Any]] = (),
        asked: int = 0,
    ) -> "AsyncGenerator[_SandboxWorker]":
        """Open a worker by what it is asked: frames `before`, then questions, some of them again.

        Of the questions so many were `asked` in a job before this one; their replies are skipped.
        """
        model = asked_name(self.model.name)
        ahead = Ahead(
            frames=[*before, *(predict_frame(question, model) for question in questions)],
            skipped=len(before) + asked,
            request_s=self.pace.item_s,
            sandbox=self.sandboxes.sandbox.name,
            asks_model=self.domain.calls_model,
            label=f"{self.sandboxes.agent} {self.sandboxes.attempt} {questions[asked].item.id}",
        )
        async with self.sandboxes.start(
            "worker",
            self.files,
            self.model,
            self.role,
            in_pass,
            cpu_s,
            ahead,
            shares,
            is_ours=self.is_ours,
        ) as (running, broker):
            label = partial(item_label, self.role, in_pass)
            yield _SandboxWorker(running, broker, model, self.pace.item_s, label)


def predict_frame(question: ItemQuestion, model: str) -> dict[str, Any]:
    """Return what a worker's program is told of a question."""
    return {
        "op": "predict",
        "id": question.token,
        "inputs": question.item.inputs,
        "model": model,
    }


class _SandboxWorker(msgspec.Struct, frozen=True):
    """A worker sandbox with its broker (see `evaluator.Worker` and `evaluator.EpisodePlayer`)."""

    running: TimedSandbox
    broker: Broker
    model: str
    item_s: float
    label: Callable[[str], str]

    def tell_refusals(self) -> None:
        """Put on record what was refused to it."""
        self.running.tell_refusals()

    async def predict(self, purpose: str, item: Item, token: str) -> Mapping[str, Any]:
        """Ask for one prediction."""
        frame = predict_frame(ItemQuestion(item, token), self.model)
        reply = await self._request(purpose, item.id, frame)
        return reply if reply.get("id") == token else {"error": "answered another item"}

    async def play(
        self, purpose: str, work: str, observations: Mapping[str, Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        """Ask for the next action of every episode; see `evaluator.Worker`."""
        id_ = next(iter(observations))
        frame = {"op": "play", "id": id_, "observations": observations, "model": self.model}
        reply = await self._request(purpose, work, frame)
        return reply if reply.get("id") == id_ else {}

    async def _request(self, purpose: str, work: str, frame: Mapping[str, Any]) -> dict[str, Any]:
        self.broker.begin_item(purpose, self.label(work))
        try:
            return await self.running.request(frame, self.item_s)
        finally:
            # Code that ends because its model is out of reach is not to blame for that.
            raise_if_down(self.broker)


class _Gates(NamedTuple):
    """Gates that were run, and their sandbox."""

    worker: _SandboxWorker
    held: HeldContext[_SandboxWorker]
    result: GateResult
