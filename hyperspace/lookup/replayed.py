"""`replay:RUN#AGENT`: one agent's recorded answers, played again beside a live peer.

A recorded answer belongs to a place: (generation, purpose, item, ordinal). Where the request at
that place is not the recorded one, the answer is given all the same and marked as diverged.
"""

from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec

from guards.parsing import decode_json
from guards.scope.regular_files import Unreadable, UnsafeTree, check_tree, read_whole
from hyperspace.messages import CallKey, ChatReply, ChatRequest, canonical_request
from hyperspace.models.base import NoRecordedAnswer, ReplayMismatch, UnknownModel
from hyperspace.models.names import REPLAY
from hyperspace.tracing.calls import CallRecord, reply_of, request_of
from hyperspace.tracing.traces import ANSWERING_ERRORS, read_trace

_TRACE: Final = "llm_calls.jsonl"
_KEPT_TRACES: Final = 2  # a modification and an evaluation alternate within one attempt
_MOST_NESTED: Final = 8


class _Configuration(msgspec.Struct):
    agents: tuple[str, ...]
    models: tuple[str, ...]


class _Record(msgspec.Struct):
    configuration: _Configuration


class ReplayedAgent:
    """Answers with what was recorded of one agent.

    Attributes:
        name: The recorded model's name, so that code in a sandbox and peers see what they saw.
        offline: False: somebody else's model wrote the answers, so they need a boundary.
    """

    offline = False

    def __init__(self, name: str, run: Path, agent: str) -> None:
        """Prepare to read traces; nothing is read yet.

        Args:
            name: The recorded model's name.
            run: The recorded run's folder.
            agent: Whose answers.
        """
        self.name = name
        self._run = run
        self._agent = agent
        self._calls_of = lru_cache(_KEPT_TRACES)(self._read)

    async def answer_at(self, attempt: str, key: CallKey, request: ChatRequest) -> ChatReply:
        """Give the answer that was recorded at a place.

        Args:
            attempt: `gen_<n>` or `test_eval`.
            key: The call's place within it.
            request: What is asked now.

        Raises:
            NoRecordedAnswer: The record holds no answer at this place.
            BadRequest: The provider refused the request of this place.
            ContextOverflow: So it did, as too long.
        """
        call = self._calls_of(attempt).get(key)
        if call is None:
            raise NoRecordedAnswer(f"{self._agent} was never asked at this place of {self._run}")
        if call.error is not None:
            raise ANSWERING_ERRORS[call.error.kind](call.error.message)
        reply = msgspec.structs.replace(reply_of(call), cost_usd=0.0)
        return msgspec.structs.replace(reply, divergence=divergence(call, request))

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Refuse: without a place there is no recorded answer.

        Raises:
            ReplayMismatch: Always.
        """
        raise ReplayMismatch(f"{self.name} is a recording; {request.model} has no place in it")

    async def check(self) -> None:
        """Make sure that every generation of the record has its trace.

        Raises:
            UnknownModel: One has none.
        """
        for folder in sorted((self._run / self._agent).glob("gen_*")):
            if not (folder / _TRACE).is_file():
                raise UnknownModel(
                    f"{folder} has no {_TRACE}; it was not kept and cannot be played"
                )

    async def aclose(self) -> None:
        """Nothing to release."""

    def _read(self, attempt: str) -> dict[CallKey, CallRecord]:
        folder = self._run / self._agent / attempt
        if attempt == "test_eval":
            folder = self._run / attempt / self._agent
        # Where a limit struck and a try was repeated, the later answer is the one that counted.
        return {call.key: call for call in read_trace(folder / _TRACE).calls}


def find_recorded(name: str) -> ReplayedAgent:
    """Find the recording that a name means; one of a recording is one of what that played.

    Raises:
        UnknownModel: It names no run, or no agent of it.
    """
    run, agent = _taken_apart(name)
    model = name
    for _ in range(_MOST_NESTED):
        model = _recorded_name(model)
        if not model.startswith(REPLAY):
            return ReplayedAgent(model, Path(run).resolve(), agent)
    raise UnknownModel(f"{name!r} is a recording of recordings without end")


def _taken_apart(name: str) -> tuple[str, str]:
    run, _, agent = name.removeprefix(REPLAY).rpartition("#")
    if not (run and agent):
        raise UnknownModel(f"{name!r} names no recording; write {REPLAY}RUN#AGENT")
    return run, agent


def _recorded_name(name: str) -> str:
    """The name of the model that a recording is of."""
    run, agent = _taken_apart(name)
    if not Path(run).is_dir():
        raise UnknownModel(f"{name!r} names no recording: {run} does not exist")
    try:
        check_tree(Path(run))  # it may be a stranger's
        record = read_whole(Path(run) / "run_config.json")
        config = decode_json(record, _Record).configuration
    except Unreadable as error:
        raise UnknownModel(f"{name!r} names no recording: its run_config.json {error}") from error
    except UnsafeTree as error:
        raise UnknownModel(f"{error}; such a run cannot be played") from error
    except (OSError, msgspec.MsgspecError) as error:
        raise UnknownModel(f"{run} holds no run that could be played: {error}") from error
    models = dict(zip(config.agents, config.models, strict=False))
    if agent not in models or Path(agent).name != agent:
        raise UnknownModel(f"no agent {agent!r} in {run}; its agents: {', '.join(models)}")
    return models[agent]


def divergence(call: CallRecord, request: ChatRequest) -> str:
    """How a request differs from the recorded one, in one line; empty if it does not."""
    try:
        recorded = canonical_request(request_of(call))
    except msgspec.ValidationError:
        return "the recorded request cannot be read"
    now = canonical_request(request)
    if len(now.messages) != len(recorded.messages):
        return f"{len(now.messages)} messages, {len(recorded.messages)} in the record"
    for index, (before, after) in enumerate(zip(recorded.messages, now.messages, strict=True)):
        if before != after:
            return f"message {index} ({after.role}) is not the recorded one"
    settled = msgspec.structs.replace(now, model=recorded.model, seed=recorded.seed)
    return "" if settled == recorded else "other tools or settings than in the record"
