"""What a model of yours does in runs: `make test-model MODEL=NAME@URL`.

Plays a pair and a solo arm with the seed agent `shown`, kills a second pair twice with SIGKILL and
goes on with it, and replays all of them. The table has a row for each agent; `control` is the gain
that random changes of the same task agent's numbers reach with as many tries, the best on train
kept, as a mean over 20 draws: a model that does no better has understood nothing.
"""

import argparse
import ast
import json
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from agents.runtime.agent.code_blocks import has_block
from agents.runtime.agent.text_calls import text_calls
from hyperspace.tasks.base import Domain
from hyperspace.tasks.registry import load
from hyperspace.tracing.calls import CallRecord
from hyperspace.tracing.traces import read_trace
from tests.support.runs.simulation import answer_here

DRAWS: Final = 20
_TOOLS: Final = ("bash", "editor")


class Row(NamedTuple):
    """One agent of a run.

    Attributes:
        run: Which run it is of.
        calls: Replies to its meta agent.
        readable: Those that called a tool, or held a block of Python.
        generations: Its evolved generations.
        edits: Those that changed a byte.
        valid: Those that passed the gates and were evaluated.
        gain: Best validation score less that of generation 0.
    """

    run: str
    calls: int
    readable: int
    generations: int
    edits: int
    valid: int
    gain: float


def main() -> int:
    """Play what the command line asks for; 1 if a run failed, or a replay differs."""
    args = _arguments()
    with tempfile.TemporaryDirectory(prefix="hyperspace-model-") as scratch:
        results = args.results or Path(scratch)
        numbers = ["--seed", "1", "--results", str(results)]
        length = ["--generations", str(args.generations)]
        rows: list[Row] = []
        failed = False
        for domain in args.domains:
            pair = ["pair", "--models", args.model, args.model, "--domain", domain, *length]
            solo = ["solo", "--model", args.model, "--domain", domain, *length]
            solo += ["--seed-agent", "shown", "--no-controls"]
            plays = {
                "pair": _play([*pair, *numbers], kills=0),
                "solo": _play([*solo, *numbers], kills=0),
                "pair, killed twice": _play(
                    [*pair, "--seed", "2", "--results", str(results)], kills=2
                ),
            }
            for name, run in plays.items():
                if run is None:
                    failed = True
                    continue
                replayed = _command(["replay", str(run)])
                same = "as recorded" in replayed.stdout
                failed |= not same
                print(f"{domain}, {name}: replay {'the same' if same else replayed.stderr}")
                rows += _rows(f"{domain}, {name}", run)
            _print(rows, _control(load(domain), args.generations * 3))
            rows.clear()
        return int(failed)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="as --models takes it: NAME@URL, a provider's name, ...")
    parser.add_argument("--generations", type=int, default=3)
    parser.add_argument("--domains", nargs="+", default=["repo_quality", "email_validation"])
    parser.add_argument("--results", type=Path, help="keep the runs there")
    return parser.parse_args()


def _command(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hyperspace", *words], capture_output=True, text=True, check=False
    )


def _play(words: Sequence[str], kills: int) -> Path | None:
    """Play a run, killed so often in the middle of a generation; returns its folder."""
    for _ in range(kills):
        process = subprocess.Popen(
            [sys.executable, "-m", "hyperspace", *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr is not None  # noqa: S101 - it is a pipe
        for line in process.stderr:
            if " gen " in line and not line.startswith("hyperspace"):
                time.sleep(1)
                break
        process.send_signal(signal.SIGKILL)
        process.wait()
    done = _command([*words, "--json"])
    try:
        return Path(json.loads(done.stdout)["run"])
    except (ValueError, KeyError):
        print(f"hyperspace {' '.join(words)}: exit code {done.returncode}\n{done.stderr[-2000:]}")
        return None


def _rows(name: str, run: Path) -> list[Row]:
    rows: list[Row] = []
    for archive in sorted(run.glob("*/archive.jsonl")):
        entries: list[dict[str, Any]] = [
            json.loads(line) for line in archive.read_text().splitlines()
        ]
        evolved = [entry["current_genid"] for entry in entries if entry["current_genid"]]
        folders = {number: archive.parent / f"gen_{number}" for number in evolved}
        calls = [
            call
            for folder in folders.values()
            for call in read_trace(folder / "llm_calls.jsonl").calls
            if call.purpose == "modify" and not call.error
        ]
        scores = [entry["val_score"] for entry in entries]
        known = [score for score in scores if score is not None]
        rows.append(
            Row(
                f"{name}: {archive.parent.name}",
                len(calls),
                sum(map(_is_readable, calls)),
                len(evolved),
                sum(_is_edited(folder) for folder in folders.values()),
                sum(bool(entry["valid"]) for entry in entries if entry["current_genid"]),
                max(known) - known[0] if known else 0.0,
            )
        )
    return rows


def _is_readable(call: CallRecord) -> bool:
    text = call.response or ""
    return bool(call.tool_calls or text_calls(text, _TOOLS).calls or has_block(text))


def _is_edited(folder: Path) -> bool:
    """Return whether a generation's code is not its parent's."""
    parent = json.loads((folder / "metadata.json").read_text())["parent"]
    files = ("task_agent.py", "meta_agent.py")
    before, after = (
        [(base / "repo" / file).read_text() for file in files]
        for base in (folder.with_name(f"gen_{parent}"), folder)
    )
    return before != after


def _control(domain: Domain, tries: int) -> list[float]:
    """The gains of random changes of the seed's numbers, one a draw."""
    seed = domain.seed_files()["task_agent.py"].decode()
    first = _score(domain, seed)
    gains: list[float] = []
    for draw in range(DRAWS):
        rng = random.Random(draw)
        best, code = first, seed
        for _ in range(tries):
            changed = _shaken(code, rng)
            score = _score(domain, changed)
            if score["train"] > best["train"]:
                best, code = score, changed
        gains.append(best["val"] - first["val"])
    return gains


def _score(domain: Domain, code: str) -> Mapping[str, float]:
    try:
        return {
            split: domain.score(split, answer_here(domain, split, code))
            for split in ("train", "val")
        }
    except Exception:  # code with other numbers may fail in any way
        return {"train": -1.0, "val": -1.0}


def _shaken(code: str, rng: random.Random) -> str:
    """Code with a third of its numbers changed by up to half."""
    nodes = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Constant)]
    lines = code.splitlines(keepends=True)
    for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        number = node.value
        if isinstance(number, int | float) and type(number) is not bool and rng.random() < 1 / 3:
            value = number * rng.uniform(0.5, 1.5)
            text = str(round(value)) if isinstance(number, int) else f"{value:.3g}"
            line = lines[node.lineno - 1]
            lines[node.lineno - 1] = line[: node.col_offset] + text + line[node.end_col_offset :]
    return "".join(lines)


def _print(rows: Sequence[Row], control: Sequence[float]) -> None:
    mean = f"{statistics.mean(control):+.3f} (up to {max(control):+.3f})"
    heads = f"{'calls':>6} {'readable':>9} {'edits':>7} {'valid':>7} {'gain':>7}"
    print(f"{'run: agent':58} {heads}  control")
    for row in rows:
        of = row.generations
        print(
            f"{row.run:58} {row.calls:6} {row.readable:9} {f'{row.edits}/{of}':>7} "
            f"{f'{row.valid}/{of}':>7} {row.gain:+7.3f}  {mean}"
        )


if __name__ == "__main__":
    sys.exit(main())
