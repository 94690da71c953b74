"""Options for the code that agents start from."""

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from evolution.state.options.option import Option

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
