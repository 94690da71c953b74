"""A fleet whose generations are published without being played: for what its agents then see."""

from pathlib import Path
from typing import Self

import msgspec

from guards.sandboxes.process import ProcessSandbox
from hyperspace.extensions.order import extensions_of, rounds_of
from hyperspace.kernel.files import text_hashes
from hyperspace.kernel.generation.run_context import Participant, RunContext
from hyperspace.kernel.generation.visible_strategies import (
    VisibleStrategies,
    shown_generations,
    snapshot_visible,
    workspace_files,
)
from hyperspace.kernel.selection.named import selection_of
from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.closings import ClosingOrder
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import Closing, Cursor
from hyperspace.kernel.state.opening import RunSpace
from hyperspace.kernel.state.steering.command_queue import CommandQueue
from hyperspace.kernel.state.terms import Terms
from hyperspace.kernel.views.run_logs import RunLogs
from hyperspace.lookup.resolve import resolve
from hyperspace.options.fleet import FleetTerms, Member
from hyperspace.options.launch import LaunchOptions
from hyperspace.spending.ledger import Ledger
from hyperspace.tasks.registry import load
from hyperspace.workspace.workspace import Strategy
from tests.support.runs.manifests import manifest

MODEL = "offline/tinker"


def alike(count: int, *islands: str) -> tuple[Member, ...]:
    """Members with the default terms; on islands, if some are named."""
    return tuple(Member(9, island=name) for name in islands or [""] * count)


class SomeFleet:
    """Agents named a, b, c ... in a real space; a context that closes it."""

    def __init__(self, root: Path, fleet: FleetTerms, models: tuple[str, ...] = ()) -> None:
        names = tuple("abcdefgh"[: len(fleet.members)])
        models = models or (MODEL,) * len(names)
        domain, folder = load("repo_quality"), RunFolder(root)
        config = RunConfig(
            kind="fleet",
            domain="repo_quality",
            data_sha256=domain.data_sha256,
            models=models,
            agents=names,
            eval_model=None,
            generations=9,
            seed=1,
            fleet=fleet,
        )
        root.mkdir(parents=True)
        resolved = tuple(map(resolve, models))
        self.space = RunSpace(folder.space, config)
        self.marks, self.writer = self.space.marks, self.space.writer()
        self.ledger = Ledger(folder.ledger)
        archives = {name: Archive(name) for name in names}
        self.context = RunContext(
            config=config,
            options=LaunchOptions(models=models, domain="repo_quality"),
            folder=folder,
            steering=CommandQueue(self.marks, self.writer),
            marks=self.marks,
            writer=self.writer,
            logs=RunLogs(folder, names),
            ledger=self.ledger,
            prices=Terms().table(),
            domain=domain,
            rounds=rounds_of(config, self.marks, domain),
            sandbox=ProcessSandbox(),
            select=selection_of(config),
            participants=tuple(
                Participant(name, turn, model, model)
                for turn, (name, model) in enumerate(zip(names, resolved, strict=True))
            ),
            archives=archives,
            order=ClosingOrder(self.marks, archives),
            seed_code={},
            runtime={},
            emit=lambda _event: None,
            label="test",
            features=extensions_of(config),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.space.close()
        self.ledger.close()

    def close(
        self,
        agent: str,
        val: float | None,
        code: dict[str, str] | None = None,
        train: float | None = None,
    ) -> None:
        """Close an agent's next generation with these scores."""
        archive, who = self.context.archives[agent], self.who(agent)
        number = archive.next_generation()
        code = code or {"task_agent.py": f"# {agent} {number}\n", "meta_agent.py": ""}
        made = manifest(number, val, train=train)
        made = msgspec.structs.replace(made, agent=agent, code=text_hashes(code))
        strategy = Strategy(agent, MODEL, number, None, val, code)
        closing = Closing(
            manifest=made,
            files={},
            audit_head=self.marks.audit_head(),
            seconds=0.0,
            closed_utc="",
            attempt=0,
            calls=0,
            cost_usd=0.0,
        )
        is_best, time = archive.is_new_best(made), self.context.clock(who, number)
        self.writer.publish(closing, code, time, strategy if is_best else None)
        archive.add(made)
        self.context.order.add(agent, number)

    def look(self, agent: str, generation: int, cursor: Cursor | None = None) -> VisibleStrategies:
        """What an agent sees in a generation."""
        cursor = {} if cursor is None else cursor
        return snapshot_visible(self.context, self.who(agent), generation, cursor)

    def workspace(self, agent: str, generation: int) -> dict[str, bytes]:
        """The workspace that is made of it."""
        visible, who = self.look(agent, generation), self.who(agent)
        history = shown_generations(self.context, visible.own, generation - 1)
        return workspace_files(self.context, who, generation, {}, history, visible)

    def who(self, agent: str) -> Participant:
        """An agent by its name."""
        return next(who for who in self.context.participants if who.name == agent)


def folders(visible: VisibleStrategies) -> list[str]:
    """The folders below `strategies/`."""
    return [strategy.folder for strategy in visible.strategies]
