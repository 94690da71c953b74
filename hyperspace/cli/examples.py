"""Command lines that work, shown at the end of each command's help.

They stand in an order in which each finds what those before it have left.
"""

from collections.abc import Mapping
from typing import Final

RUN: Final = "results/repo_quality/tinker_vs_magpie/seed42"
EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    "pair": (
        "pair --models offline/tinker offline/magpie --domain repo_quality --generations 3",
        "pair --models offline/tinker offline/magpie --domain repo_quality --seed 7 --dry-run",
    ),
    "solo": (
        "solo --domain repo_quality --arm b --iterations 2 --no-controls",
        "solo --domain repo_quality --experiment mine --seeds 42..46 --dry-run",
    ),
    "fleet": (
        "fleet --config docs/examples/fleet.toml --dry-run",
        "fleet --config docs/examples/fleet.toml --arms sharing,none --seeds 1..3",
    ),
    "arena": (
        "arena --task email_validation --rounds 4 --dry-run",
        "arena --task email_validation --solvers 1 --testers 1 --rounds 2",
    ),
    "research": (
        "research --env fit_line --models offline/ideator --epochs 1 --ideas 2",
        "research --env fit_line --models offline/ideator --ideas 2 --arms search,best_of_n",
    ),
    "levels": (
        "levels --tasks email_validation --models offline/heeding --budget 30calls --dry-run",
        "levels --tasks support --models offline/heeding --budget 9calls "
        "--levels loop,best_of_n --dry-run",
    ),
    "resume": (f"resume {RUN}",),
    "replay": (f"replay {RUN}",),
    "export": (f"export {RUN} --redact --out exports/run.tar.gz",),
    "verify": ("verify exports/run.tar.gz",),
    "analyze": (f"analyze {RUN}", "analyze results --rule causal"),
    "audit": (f"audit {RUN}", f"audit {RUN} --agent magpie --generation 1"),
    "runs": ("runs", "runs results --json"),
    "show": (f"show {RUN}", f"show {RUN}#magpie/3", f"show {RUN}#magpie --diff"),
    "watch": (f"watch {RUN}", f"watch {RUN} --once"),
    "steer": (f"steer {RUN} list", f"steer {RUN} needs"),
    "space": (f"space marks {RUN} --scope strategies", f"space verify {RUN}"),
    "report": ("report results/repo_quality/repo_quality",),
    "eval_progress": ("eval_progress results",),
    "digest": (f"digest {RUN}",),
    "models": ("models", "models --ping offline/tinker"),
    "domains": ("domains", "domains panel", "domains repo_quality --check"),
    "rubric": ("rubric docs/examples/atlas --model offline/examiner",),
    "serve": (
        "serve --port 8001 --latency-ms 50..200",
        "serve --brain claude-*=tinker --fault 429=0.1",
    ),
    "doctor": ("doctor", "doctor --json"),
    "workers": ("workers", "workers --executor ray://10.0.0.1:6379"),
    "config": ("config", "config --json"),
    "completion": ("completion bash",),
    "space marks": (f"space marks {RUN} --scope strategies",),
    "space needs": (f"space needs {RUN}",),
    "dashboard": ("dashboard results", f"dashboard --bundle {RUN} --out pages --redact"),
    "play": (f"play {RUN}#magpie --split test --item 3",),
    "space watch": (f"space watch {RUN}",),
    "space audit": (f"space audit {RUN} --after 10",),
    "space verify": (f"space verify {RUN}",),
    "space stats": (f"space stats {RUN}",),
    "space export": (f"space export {RUN} --output exports/marks.jsonl",),
    "trash": (f"trash {RUN}",),
}


def shown(command: str) -> str:
    """The examples of a command, as the end of its help."""
    lines = EXAMPLES[command]
    title = "example:" if len(lines) == 1 else "examples:"
    return "\n".join([title, *(f"  hyperspace {line}" for line in lines)])
