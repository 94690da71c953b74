"""Options for the code that agents start from."""

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from hyperspace.options.option import Option
from hyperspace.workspace.seed_agent import seed_agent_text

seed_agent_option = partial(
    Option,
    "--seed-agent",
    "the first meta agent: published tells its model to change the code, informed also of its "
    "history, shown shows task, code, scores, failures and peers "
    "(docs/reference/seed-agents.md; shown?form=block&tries=5 has options)",
    kept="identity",
    metavar="NAME",
    parse=seed_agent_text,
)
"""Declares the option that names the first meta agent."""
Part = Literal["task", "meta"]
from_code = partial(Option, group="start", kept="content")
"""Declares an option that names code to start from."""


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """Sources of a run's first code beside a person's folder; empty for the seed."""

    run: Annotated[
        str | None,
        from_code(
            "--from-run",
            "start every agent from a generation of another run (default: the agent's best)",
            metavar="RUN[#AGENT][/gen_N]",
            default_text="",
        ),
    ] = None
    patches: Annotated[
        tuple[Path, ...],
        from_code(
            "--start-from",
            "apply a unified diff, or each *.diff and *.patch of a folder; repeatable",
            metavar="PATCHES",
            parse=Path,
            kind="repeated",
            finish=tuple,
        ),
    ] = ()
    reset: Annotated[
        Part | None,
        from_code("--reset", "put task_agent.py or meta_agent.py back to the seed afterwards"),
    ] = None
