"""A research run with hostile texts wherever models, jobs or an environment can put any."""

from pathlib import Path
from typing import Final

from hyperspace.kernel.files import canonical_json, pretty_json, write_atomically
from hyperspace.research.loop.folder import ResearchFolder
from hyperspace.research.loop.records import (
    FORMAT,
    ClosedIdea,
    DiffTry,
    IdeaManifest,
    ResearchConfig,
    ResearchRecord,
)
from hyperspace.research.loop.space import working_in
from hyperspace.research.loop.under_way import UnderWay
from tests.support.hostile.payloads import PAYLOADS, every

UTC: Final = "2026-01-01T00:00:00.000+00:00"
MODELS: Final = (f"offline/{every('model')[:2000]}",)
IDEAS: Final = 3


def write_research_run(folder: Path, metric: str = every("metric")[:1000]) -> Path:
    """Write a run of three ideas, unfinished; returns its folder."""
    config = ResearchConfig(
        environment=every("environment")[:2000],
        environment_sha256="0" * 64,
        models=MODELS,
        epochs=2,
        ideas=IDEAS,
        explore=None,
        repairs=1,
        seed=7,
        sandbox="bubblewrap",
        arm="search",
    )
    record = ResearchRecord(
        format=FORMAT,
        configuration=config,
        env="nowhere",
        env_config=None,
        command=("hyperspace", *PAYLOADS),
        started_utc=UTC,
        versions={},
        metric=metric,
        goal="max",
    )
    files = ResearchFolder(folder)
    folder.mkdir(parents=True)
    write_atomically(files.record, pretty_json(record))
    with working_in(files.space, config) as opened:
        for number in range(IDEAS + 1):
            opened.writer.close(_idea(number, None if number == 2 else number / 10))
            write_atomically(files.idea(number) / "log.txt", every("log").encode())
    return folder


def under_way() -> bytes:
    """What now.json holds while a hostile job runs."""
    idea = UnderWay(
        number=4,
        epoch=1,
        kind=every("kind"),
        state="running",
        since_utc=UTC,
        lines=len(PAYLOADS),
        tail=tuple(PAYLOADS),
    )
    return canonical_json([idea])


def _idea(number: int, score: float | None) -> ClosedIdea:
    diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n" + "".join(f"+{each}\n" for each in PAYLOADS)
    manifest = IdeaManifest(
        number=number,
        epoch=0,
        author="ideator-0" if number else "",
        kind="explore" if number else "baseline",
        parent=0,
        shown=(1,) if number == 3 else (),
        gates=("frozen", ""),
        tree_sha256=f"{number}" * 64,
        state="failed" if score is None else "done",
        score=score,
        calls=(),
    )
    tries = (DiffTry(diff, "frozen", every("why")), DiffTry(diff))
    return ClosedIdea(
        manifest=manifest,
        text=every("idea"),
        diff=diff,
        tries=tries if number else (),
        reason=every("reason") if score is None else "",
        artefacts={every("artefact")[:500]: "0" * 64},
        log=every("log")[:4000],
        cpu_s=0.5,
    )
