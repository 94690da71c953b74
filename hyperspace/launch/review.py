"""An agent of a run, asked about one input by hand: its code in a sandbox, on no record.

No model is asked unless that is said, and then within a limit of its own; what it costs can be
told before. Nothing of the run is written.
"""

import secrets
import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import anyio
import msgspec

from guards.sandboxes.choose import choose
from guards.sandboxes.sandbox import Job, Limits, Sandbox, SandboxEnded, SandboxUnavailable
from hyperspace.broker.broker import Broker
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.printable_error import printable_error
from hyperspace.kernel.state.config import RunConfig, read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.opening import reading
from hyperspace.launch.address import RunAddress
from hyperspace.launch.run_domain import domain_of
from hyperspace.launch.trust import admit_code, refuse_unconfined
from hyperspace.lookup.resolve import resolve
from hyperspace.messages import CallKey
from hyperspace.models.base import Model
from hyperspace.models.names import OFFLINE, asked_name
from hyperspace.spending.budget import SpendingLimits
from hyperspace.spending.ledger import Ledger
from hyperspace.spending.ledger_lines import Account
from hyperspace.spending.metered import Payer, paying
from hyperspace.spending.prices import FREE, Price, read_prices
from hyperspace.tracing.calls import call_id
from hyperspace.tracing.traces import Recorder
from hyperspace.workspace.seed_code import runtime_files

MOST_USD: Final = 0.25
MOST_TOKENS: Final = 100_000
MOST_INPUT_BYTES: Final = 1_000_000
LONGEST_S: Final = 120.0
_LIMITS: Final = Limits(wall_s=LONGEST_S, cpu_s=60)
_LABEL: Final = "review"
_KINDS: Final = ("bubblewrap-cold", "docker")  # one question is not worth a template


class ReviewModel(msgspec.Struct, frozen=True):
    """The model that an agent's code may ask, and what that costs.

    Attributes:
        name: As the run names it.
        is_offline: Whether it needs no network and costs nothing.
        price: In US dollars per million tokens; None if nobody knows it.
        most_usd: What one review may cost at most.
        most_tokens: How many tokens it may take at most.
    """

    name: str
    is_offline: bool
    price: Price | None
    most_usd: float = MOST_USD
    most_tokens: int = MOST_TOKENS


class ReviewedAnswer(msgspec.Struct, frozen=True):
    """What an agent answered.

    Attributes:
        agent: Whose code it was.
        generation: Which generation of it.
        answer: The answer; None if none came.
        error: Why none came; empty if one did.
        sandbox: Where the code ran.
        calls: Model calls that it made.
        cost_usd: What they cost.
    """

    agent: str
    generation: int
    answer: str | None
    error: str
    sandbox: str
    calls: int = 0
    cost_usd: float = 0.0


class _Reviewed(msgspec.Struct, frozen=True):
    config: RunConfig
    agent: str
    generation: int
    files: Mapping[str, bytes]
    model: str


def review(
    run: Path,
    agent: str | None,
    generation: int | None,
    inputs: Mapping[str, Any],
    *,
    ask_model: bool = False,
    trust: bool = False,
) -> ReviewedAnswer:
    """Ask an agent of a run about one input.

    Args:
        run: The run's folder.
        agent: Which; None for the only one.
        generation: Which of its generations; None for its best.
        inputs: What its `TaskAgent.forward` gets: of the form of the task's items, or an
            observation of its episodes.
        ask_model: Whether its code may ask its model, within `MOST_USD` and `MOST_TOKENS`.
        trust: Whether code of a run that somebody else began may be executed.

    Raises:
        RunUsageError: There is no such run, agent or generation; the inputs are too large; or the
            model's price is not known.
        ForeignRun: Somebody else began the run, and is not trusted.
        SandboxUnavailable: No sandbox that confines works here; says why.
        ModelError: The model cannot be had.
    """
    admit_code(run, trust=trust)
    if len(msgspec.json.encode(inputs)) > MOST_INPUT_BYTES:
        raise RunUsageError(f"an input has at most {MOST_INPUT_BYTES:,} bytes of JSON")
    reviewed = _read(run, agent, generation)
    sandbox = confining_sandbox()
    model = _priced_model(reviewed.model) if ask_model else None
    return anyio.run(partial(_ask, reviewed, sandbox, dict(inputs), model))


def review_model(run: Path, agent: str) -> ReviewModel:
    """Return the model that an agent's code asks, with its price; nothing is asked.

    Raises:
        RunUsageError: There is no such run or agent.
    """
    config = read_record_of(run).configuration
    if agent not in config.agents:
        raise RunUsageError(f"{run} has no agent {agent!r}; it has {', '.join(config.agents)}")
    name = _model_name(config, agent)
    if name.startswith(OFFLINE):
        return ReviewModel(name, is_offline=True, price=FREE)
    return ReviewModel(name, is_offline=False, price=read_prices().quote(name))


def example_inputs(run: Path) -> dict[str, Any]:
    """Return an input of the form that the run's task has; it belongs to no split.

    Raises:
        RunUsageError: The task is code in a file, which nothing imports on a record's word.
        DomainError: The task cannot be loaded.
    """
    return domain_of(read_record_of(run), "a review", run=run).smoke_item().inputs


def confining_sandbox() -> Sandbox:
    """Return a sandbox that confines hostile code.

    Raises:
        SandboxUnavailable: None works here; says why, and what to do.
    """
    reasons: list[str] = []
    for kind in _KINDS:
        try:
            sandbox = choose(kind, needs_boundary=True).sandbox
        except SandboxUnavailable as error:
            reasons.append(str(error))
            continue
        if not sandbox.is_boundary:
            raise refuse_unconfined(sandbox.name)
        return sandbox
    raise SandboxUnavailable(
        f"an agent's code runs only where a sandbox confines it: {'; '.join(reasons)}"
    )


def _read(run: Path, agent: str | None, generation: int | None) -> _Reviewed:
    config = read_record_of(run).configuration
    address = RunAddress(str(run), run, agent, generation)
    name = address.agent_of(config)
    with reading(RunFolder(run), config) as marks:
        number = address.generation_of(marks, name)
        code = {path: text.encode() for path, text in marks.code(name, number).items()}
    runtime = runtime_files() if config.solo is None else {}
    return _Reviewed(config, name, number, code | runtime, _model_name(config, name))


def _model_name(config: RunConfig, agent: str) -> str:
    return config.eval_model or config.models[config.agents.index(agent)]


def _priced_model(name: str) -> Model:
    """Find a model whose price is known; an address in its name gets no key."""
    model = resolve(name, keys_to=())
    if not model.offline and read_prices().quote(name) is None:
        raise RunUsageError(
            f"nobody knows what {name} costs, so it is not asked here; "
            "`hyperspace models` says whose prices are known"
        )
    return model


async def _ask(
    reviewed: _Reviewed, sandbox: Sandbox, inputs: dict[str, Any], model: Model | None
) -> ReviewedAnswer:
    token = secrets.token_hex(8)
    frame = {"op": "predict", "id": token, "inputs": inputs, "model": asked_name(reviewed.model)}
    with tempfile.TemporaryDirectory(prefix="hyperspace-review-") as scratch:
        ledger = Ledger(Path(scratch) / "ledger", SpendingLimits(usd=MOST_USD, tokens=MOST_TOKENS))
        answer, error = None, ""
        with ledger:
            async with _brokered(reviewed, model, ledger, Path(scratch)) as broker:
                job = Job("worker", reviewed.files, broker, _LIMITS, _LABEL)
                try:
                    async with sandbox.start(job) as running:
                        reply = await running.request(frame, LONGEST_S)
                        told = reply.get("prediction") if reply.get("id") == token else None
                        answer = told if isinstance(told, str) else None
                        error = str(reply.get("error") or "no answer came back")
                except SandboxEnded as ended:
                    error = str(ended)
                if broker is not None and broker.outage is not None:
                    error = f"its model is out of reach: {broker.outage}"
            return ReviewedAnswer(
                reviewed.agent,
                reviewed.generation,
                answer,
                "" if answer is not None else printable_error(error),
                sandbox.name,
                ledger.budget.spent.calls,
                ledger.budget.spent.cost_usd,
            )


@asynccontextmanager
async def _brokered(
    reviewed: _Reviewed, model: Model | None, ledger: Ledger, scratch: Path
) -> AsyncGenerator[Broker | None]:
    """Open the line to a model, with who pays for it; None without a model."""
    if model is None:
        yield None
        return
    prices = read_prices()

    def payer(key: CallKey) -> Any:
        account = Account(reviewed.agent, reviewed.generation, key.purpose, call_id(key))
        return paying(Payer(ledger, prices, account))

    recorder = Recorder(scratch / "trace", paying=payer)
    try:
        broker = Broker(model, recorder, label=_LABEL, attempt=f"gen_{reviewed.generation}")
        broker.begin_item("review", "")
        async with broker:
            yield broker
    finally:
        recorder.close()
        await model.aclose()
