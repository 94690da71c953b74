"""False positives and cost of the content policies: `python -m benchmarks.content_policies`.

Reviewed as if an agent had just written it: the seed code of agents and domains, every module of
the standard library but its tests, and each generation of pairs of offline policies. None of it
was written to deceive, so what is found is a false positive. Each finding is printed with
`--show`, so that a person can judge it.
"""

import argparse
import sysconfig
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from guards.content.base import ContentFinding, Revision
from guards.content.modes import DEFAULTS
from guards.content.pipeline import policies
from guards.content.source import SourceText
from hyperspace.kernel.events import Event
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.opening import reading
from hyperspace.tasks.registry import load
from hyperspace.workspace.seed_code import runtime_files, seed_files
from transfer_experiment.options import PairOptions
from transfer_experiment.pair import run_pair

SKIPPED = {"test", "tests", "idle_test", "site-packages", "dist-packages"}
SEEDS = range(1, 4)
SCORES = (0.5,)


class Tally(NamedTuple):
    """Findings in a body of files.

    Attributes:
        name: Which body.
        files: How many.
        lines: Of text.
        hits: Files in which a policy found something, by its name.
        cpu_s: CPU time of all reviews.
    """

    name: str
    files: int
    lines: int
    hits: Counter[str]
    cpu_s: float


def main() -> None:
    """Review everything and print one line for each body of files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true", help="print every finding")
    show = print if parser.parse_args().show else _silent
    bodies = {"seed code": _seed, "standard library": _library, "offline pairs": _pairs}
    print("body               files   lines " + "".join(f"{name:>18}" for name in DEFAULTS))
    for name, body in bodies.items():
        tally = _tally(name, body(), show)
        counts = "".join(f"{tally.hits[policy]:>18}" for policy in DEFAULTS)
        print(f"{name:<18} {tally.files:>5} {tally.lines:>7} {counts}   {tally.cpu_s:.1f} s of CPU")


def _tally(name: str, revisions: Iterable[Revision], show: Callable[[str], None]) -> Tally:
    hits: Counter[str] = Counter()
    files = lines = 0
    cpu_s = 0.0
    for revision in revisions:
        started = time.process_time()
        findings_by_policy = {policy.name: policy.review(revision) for policy in policies()}
        cpu_s += time.process_time() - started
        files, lines = files + 1, lines + revision.after.text.count("\n")
        hits.update(policy for policy, findings in findings_by_policy.items() if findings)
        for policy, findings in findings_by_policy.items():
            _show(policy, findings, show)
    return Tally(name, files, lines, hits, cpu_s)


def _show(policy: str, findings: Iterable[ContentFinding], show: Callable[[str], None]) -> None:
    for finding in findings:
        where = f"{finding.path}:{finding.line}"
        show(f"  {policy} {finding.kind} {where} ({finding.part}) {finding.quote}")


def _silent(_: str) -> None:
    pass


def _new(path: str, text: str) -> Revision:
    return Revision(path, SourceText(path, ""), SourceText(path, text), scores=SCORES)


def _seed() -> Iterator[Revision]:
    for files in (seed_files(), runtime_files(), load("repo_quality").seed_files()):
        for path, data in files.items():
            yield _new(path, data.decode())


def _library() -> Iterator[Revision]:
    root = Path(sysconfig.get_paths()["stdlib"])
    for path in sorted(root.rglob("*.py")):
        if not SKIPPED & set(path.parts):
            yield _new(str(path.relative_to(root)), path.read_text(errors="replace"))


def _pairs() -> Iterator[Revision]:
    with tempfile.TemporaryDirectory() as folder:
        for seed in SEEDS:
            options = PairOptions(
                models=("offline/tinker", "offline/magpie"),
                domain="repo_quality",
                seed=seed,
                results=Path(folder),
            )
            yield from _generations(Path(run_pair(options, _ignore).run))


def _ignore(_: Event) -> None:
    pass


def _generations(run: Path) -> Iterator[Revision]:
    """Each file that a generation changed, beside its parent's."""
    config = read_record_of(run).configuration
    with reading(RunFolder(run), config) as marks:
        for agent in config.agents:
            for generation in range(1, config.generations + 1):
                parent = marks.closing(agent, generation).manifest.parent or 0
                before, after = marks.code(agent, parent), marks.code(agent, generation)
                for path in sorted(after):
                    old, new = before.get(path, ""), after[path]
                    if old != new:
                        yield Revision(
                            path, SourceText(path, old), SourceText(path, new), scores=SCORES
                        )


if __name__ == "__main__":
    main()
