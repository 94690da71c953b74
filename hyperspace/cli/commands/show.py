"""`hyperspace show`: a run's generations, and the code, diff, prompt or error of one."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hyperspace.reporting.command_line import add_json

if TYPE_CHECKING:
    from hyperspace.runs.records import Generation, RunAgent
    from hyperspace.runs.showing import Place

_ALL = "."
SUMMARY = "show the generations of a run, and the code, diff, prompt or error of one"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "address",
        metavar="RUN[#AGENT[/GEN]]",
        help="run folder, agent and generation (default: the best; of --prompt the last, of "
        "--error the last that failed)",
    )
    part = parser.add_mutually_exclusive_group()
    part.add_argument(
        "--code",
        nargs="?",
        const=_ALL,
        metavar="FILE",
        help="its own files, or one of them and nothing else",
    )
    part.add_argument("--diff", action="store_true", help="what differs from its parent's code")
    part.add_argument("--prompt", action="store_true", help="what its model was asked first")
    part.add_argument("--error", action="store_true", help="why it is not valid")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Show what is asked for; without it, the record."""
    from hyperspace.audit.ledger import ledger_damage_in
    from hyperspace.cli.printing.streaming import print_ascii
    from hyperspace.runs.showing import find_place

    place = find_place(args.address)
    if args.code is not None or args.diff or args.prompt or args.error:
        part = _part(args, place)
        if args.json:
            print_ascii(part)
        else:
            print(part["text"], end="" if part["text"].endswith("\n") else "\n")
        return 0
    rows = list(_rows(place))
    lost = (_lost_code(row) for row in rows if row["code_bytes"] is None)
    for note in filter(None, [*place.run.notes, *lost, ledger_damage_in(place.folder)]):
        print(note, file=sys.stderr)
    if args.json:
        print_ascii({"run": str(place.folder), "generations": rows})
    elif place.agent is not None and place.generation is not None:
        for line in _lines_of_one(place.folder, place.agent, place.generation, rows[0]):
            print(line)
    else:
        _print_rows(rows)
    return 0


def _part(args: argparse.Namespace, place: "Place") -> dict[str, Any]:
    from hyperspace.runs.showing import code_of, diff_of, prompt_of

    agent = place.one_agent()
    generation = place.generation or _meant(args, agent)
    if generation is None:
        return {"agent": agent.name, "generation": None, "text": "no generation failed"}
    if args.diff:
        text = diff_of(agent, generation)
    elif args.prompt:
        text = "\n\n".join(prompt_of(generation))
    elif args.error:
        text = generation.error or f"generation {generation.generation} is valid"
    else:
        text = _code(code_of(generation), args.code, generation)
    return {"agent": agent.name, "generation": generation.generation, "text": text}


def _meant(args: argparse.Namespace, agent: "RunAgent") -> "Generation | None":
    """Return the generation that is asked about where none is named; None if none failed."""
    from hyperspace.kernel.errors import RunUsageError

    if args.error:
        return next((one for one in reversed(agent.generations) if not one.valid), None)
    meant = agent.generations[-1] if args.prompt and agent.generations else agent.best
    if meant is None:
        raise RunUsageError(f"{args.address}: {agent.name} has no generation with a score")
    return meant


def _code(files: dict[str, str], name: str, generation: "Generation") -> str:
    from hyperspace.kernel.errors import RunUsageError

    if name == _ALL:
        return "".join(f"==> {path} <==\n{text.rstrip()}\n\n" for path, text in files.items())
    if name not in files:
        raise RunUsageError(
            f"generation {generation.generation} has no file {name!r}; "
            f"there are: {', '.join(files)}"
        )
    return files[name]


def _rows(place: "Place") -> Iterator[dict[str, Any]]:
    for agent in [place.agent] if place.agent else place.run.agents:
        best = agent.best  # looks at every generation
        for generation in [place.generation] if place.generation else agent.generations:
            yield _row(agent, generation, best)


def _row(agent: "RunAgent", generation: "Generation", best: "Generation | None") -> dict[str, Any]:
    return {
        "agent": agent.name,
        "generation": generation.generation,
        "parent": generation.origin,
        "valid": generation.valid,
        "train": generation.train,
        "val": generation.val,
        "is_best": best is not None and best.generation == generation.generation,
        "in_sight": [f"{each.peer} gen {each.generation}" for each in generation.seen],
        "code_bytes": generation.task.size_bytes(),
        "error": generation.error,
    }


def _lost_code(row: dict[str, Any]) -> str:
    return (
        f"{row['agent']} gen {row['generation']}: its task_agent.py is not there, or cannot be "
        "read (a link is not followed)"
    )


def _lines_of_one(
    folder: Path, agent: "RunAgent", generation: "Generation", row: dict[str, Any]
) -> Iterator[str]:
    from hyperspace.reporting.lines import counted, score
    from hyperspace.runs.generation_record import read_generation_record

    record = read_generation_record(folder, agent.name, generation)
    best = ", the best" if row["is_best"] else ""
    parent = "" if row["parent"] is None else f", from generation {row['parent']}"
    yield f"{agent.name} generation {generation.generation}{parent}{best}"
    yield f"train {score(generation.train)}, val {score(generation.val)}"
    if not generation.valid:
        whose = f" ({record.error_class})" if record.error_class else ""
        yield f"not valid{whose}: {_first_line(generation.error) or 'it is not told why'}"
    if record.gates:
        yield f"gates: {', '.join(f'{name} {said}' for name, said in record.gates.items())}"
    if record.calls is not None:
        cost = "" if record.cost_usd is None else f", ${record.cost_usd:.2f}"
        yield f"{counted(record.calls, 'call')}{cost}, {record.seconds or 0:.1f} s"
    yield f"in sight: {', '.join(row['in_sight']) or 'nobody'}"
    for violation in record.violations:
        yield f"refused: {violation.path or violation.what}: {violation.reason}"
    yield from record.notes
    yield f"task_agent.py: {row['code_bytes']} bytes; --code, --diff, --prompt, --error show more"


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def _print_rows(rows: list[dict[str, Any]]) -> None:
    from rich.table import Table

    from hyperspace.cli.printing.terminal import console
    from hyperspace.reporting.lines import score

    table = Table()
    for name in ("agent", "generation", "parent", "train", "val", "bytes", "in sight", "error"):
        table.add_column(name)
    for row in rows:
        parent = "" if row["parent"] is None else str(row["parent"])
        number = f"{row['generation']}{' best' if row['is_best'] else ''}"
        scores = score(row["train"]), score(row["val"])
        error = _first_line(row["error"])[:60]
        size = "" if row["code_bytes"] is None else str(row["code_bytes"])
        table.add_row(
            row["agent"], number, parent, *scores, size, ", ".join(row["in_sight"]), error
        )
    console().print(table)
