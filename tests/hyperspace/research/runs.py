"""Research runs of tests: on the command line, and with models that say what a test wants."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import anyio

from hyperspace.kernel.run.limits import open_ledger
from hyperspace.kernel.state.rng import derive_seed
from hyperspace.messages import ChatReply, ChatRequest, Usage
from hyperspace.models.base import Model
from hyperspace.research.environments.repository import Environment
from hyperspace.research.loop.folder import ResearchFolder
from hyperspace.research.loop.options import ResearchOptions
from hyperspace.research.loop.play import ResearchContext, play_research
from hyperspace.research.loop.records import ClosedIdea, ResearchConfig
from hyperspace.research.loop.run import Tell, run_set
from hyperspace.research.loop.space import reading_from, working_in
from hyperspace.research.loop.under_way import UnderWayFile
from hyperspace.spending.budget import SpendingLimits
from hyperspace.spending.prices import read_prices
from tests.hyperspace.research.environments import SANDBOX

SEED: Final = 42
IDEATOR: Final = "offline/ideator"


class ScriptedIdeator:
    """Has ideas that a test has written: for each idea its diffs, one for each time it is asked."""

    name = "scripted"
    offline = True

    def __init__(self, diffs: Sequence[Sequence[str]]) -> None:
        self._diffs = {
            derive_seed(SEED, "model", number): own for number, own in enumerate(diffs, 1)
        }
        self.told: list[str] = []

    async def complete(self, request: ChatRequest) -> ChatReply:
        users = [message.content for message in request.messages if message.role == "user"]
        self.told.append(users[-1])
        own = self._diffs[request.seed or 0]
        text = "an idea" if len(users) == 1 else own[min(len(users) - 2, len(own) - 1)]
        return ChatReply(text, usage=Usage(1, 1), cost_usd=0.0)

    async def check(self) -> None:
        pass

    async def aclose(self) -> None:
        pass


def block(diff: str) -> str:
    """A reply that holds a diff."""
    return f"```diff\n{diff}```"


def config_for(environment: Environment, **more: Any) -> ResearchConfig:
    """The configuration of a small run."""
    fields: dict[str, Any] = {
        "models": (IDEATOR,), "epochs": 1, "ideas": 1, "explore": None, "repairs": 1, "seed": SEED,
        "sandbox": SANDBOX, "arm": "search", **more,
    }  # fmt: skip
    return ResearchConfig(
        environment=environment.name, environment_sha256=environment.sha256, **fields
    )


def play(
    environment: Environment, config: ResearchConfig, model: Model, root: Path, slots: int = 2
) -> dict[int, ClosedIdea]:
    """Play a run with one model for all ideas; returns the ideas by number."""
    root.mkdir(parents=True, exist_ok=True)
    folder = ResearchFolder(root)
    anyio.run(_play, environment, config, model, folder, slots)
    with reading_from(folder.space, config) as space:
        return space.closed()


async def _play(
    environment: Environment,
    config: ResearchConfig,
    model: Model,
    folder: ResearchFolder,
    slots: int,
) -> None:
    with (
        working_in(folder.space, config) as opened,
        open_ledger(folder.ledger, SpendingLimits()) as ledger,
    ):
        context = ResearchContext(
            environment=environment,
            config=config,
            folder=folder,
            models=(model,) * len(config.models),
            opened=opened,
            ledger=ledger,
            prices=read_prices(None),
            slots=slots,
            tell=lambda _: None,
            under_way=UnderWayFile(folder.now),
        )
        await play_research(context)


def run_research(options: ResearchOptions, tell: Tell) -> dict[str, Any]:
    """Play one research run, and return the fields of its summary."""
    (fields,) = run_set([options], tell)
    return fields
