"""A run of ours, written by the coordinator's own writer, with hostile texts in every place."""

import csv
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import msgspec

from hyperspace.kernel.files import text_hashes
from hyperspace.kernel.state.config import RunConfig, read_record
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import (
    TEST,
    Closing,
    Manifest,
    Repair,
    SplitResult,
    Stop,
    Violation,
)
from hyperspace.kernel.state.mark_writer import MarkWriter
from hyperspace.kernel.state.opening import RunSpace, new_record, working
from hyperspace.kernel.state.steering.records import AnswerNeed, RaisedNeed, SayTo
from hyperspace.workspace.workspace import Strategy
from tests.support.hostile.payloads import PAYLOADS, every
from tests.support.hostile.traces import hostile_calls

AGENTS: Final = ("script-1.onerror", "javascript.alert-2")
GENERATIONS: Final = 3
UTC: Final = "2026-01-01T00:00:00.000+00:00"
_AGENT_CODE: Final = '''
class TaskAgent:
    """Answers with what would run if it were markup."""

    def __init__(self, model, log_file=""):
        self.model = model

    def forward(self, inputs):
        if inputs.get("fails"):
            raise ValueError(TEXTS)
        return TEXTS, []
'''


def write_own_run(folder: Path) -> Path:
    """Write a run of two agents, unfinished; returns its folder."""
    config = RunConfig(
        kind="pair",
        domain=every("domain")[:4000],
        data_sha256="",
        models=tuple(f"offline/{every('model')[:2000]}{at}" for at in range(2)),
        agents=AGENTS,
        eval_model=None,
        generations=GENERATIONS,
        seed=7,
        options={"needs": True},
    )
    record = new_record(config, "bubblewrap", ("hyperspace", *PAYLOADS))
    with working(RunFolder(folder), record) as opened:
        for generation in range(GENERATIONS):
            for name in AGENTS:
                _play(folder, opened.writer, name, generation)
        need = opened.writer.raise_need(AGENTS[0], 1, RaisedNeed(every("need")[:1900], False))
        opened.writer.raise_need(AGENTS[1], 1, RaisedNeed(every("open need")[-1900:], True))
        opened.writer.record(Stop(every("stop"), UTC))
        opened.writer.record(Repair((every("repair"),), 1, UTC))
    with closing(RunSpace(RunFolder(folder).space, config)) as space:
        principal = space.principal()
        principal.write(SayTo(agent="all", text=every("say")[:3900]))
        words = every("answer")[-3900:]
        question = every("need")[:1900]
        principal.write(AnswerNeed(agent=AGENTS[0], need=str(need), question=question, text=words))
    _write_lines(folder / "ledger.jsonl", _ledger())
    return folder


def finish(folder: Path) -> None:
    """Close the final evaluation of each agent of the run, and write a summary."""
    with working(RunFolder(folder), read_record(RunFolder(folder).record)) as opened:
        for name in AGENTS:
            manifest = _manifest(name, GENERATIONS, {}, is_valid=True)
            final = msgspec.structs.replace(manifest, generation=TEST)
            opened.writer.publish_final(_closing(final, 0), float(GENERATIONS))
    _write_json(folder / "summary.json", {})


def code_of(agent: str, generation: int) -> dict[str, str]:
    """Return the code of a generation; of both agents the same lines, so that one took them."""
    texts = f"# {agent} {generation}\nTEXTS = {every('code')!r}\n"
    rare = "".join(f"# {line}\n" for text in PAYLOADS for line in text.splitlines())
    meta = f"# {every('meta')!r}\ndef modify(workspace):\n    return None\n"
    task = f"{texts}{rare * (generation > 0)}WEIGHTS = {{{every('weight')!r}: 0.5}}\n{_AGENT_CODE}"
    own = {f"notes/{generation}-{PAYLOADS[12]}.py": texts} if generation else {}
    return {"task_agent.py": task, "meta_agent.py": meta, **own}


def _play(folder: Path, writer: MarkWriter, agent: str, generation: int) -> None:
    code, is_valid = code_of(agent, generation), generation < GENERATIONS - 1
    manifest = _manifest(agent, generation, code, is_valid=is_valid)
    val = manifest.score("val")
    strategy = Strategy(agent, every("model"), generation, val, val, code)
    closed = _closing(manifest, generation)
    writer.publish(closed, code, float(generation), strategy if is_valid else None)
    _write_files(folder / agent / f"gen_{generation}", manifest, code)


def _closing(manifest: Manifest, attempt: int) -> Closing:
    return Closing(
        manifest=manifest,
        files={},
        audit_head="",
        seconds=1.0,
        closed_utc=UTC,
        attempt=attempt,
        calls=2,
        cost_usd=0.5,
        answered_by={every("asked"): (every("answered"),)},
    )


def _manifest(agent: str, generation: int, code: Mapping[str, str], *, is_valid: bool) -> Manifest:
    score = 0.4 + 0.1 * generation + 0.05 * AGENTS.index(agent)
    items = {f"{at}{text}": text for at, text in enumerate(PAYLOADS)}
    splits = {name: SplitResult(items, score, len(items)) for name in ("train", "val")}
    diff = "".join(f"+{line}\n" for line in every("diff").split("\n"))
    findings = [{"line": 1, "kind": text, "quote": text} for text in PAYLOADS[:20]]
    violations = tuple(
        Violation(
            topic=topic,
            what=every("what"),
            path=every("path"),
            verdict=verdict,
            reason=every("reason"),
            evidence={"diff": diff, "findings": findings, PAYLOADS[12]: every("evidence")},
        )
        for topic, verdict in (("policy", "flagged"), ("edit-scope", "reverted"))
    )
    return Manifest(
        agent=agent,
        generation=generation,
        parent=generation - 1 if generation else None,
        code=text_hashes(code),
        valid=is_valid,
        error="" if is_valid else every("error"),
        error_class="" if is_valid else "candidate",
        gates={"compile": "passed", PAYLOADS[12]: every("gate")},
        violations=violations,
        splits=splits if is_valid else {},
        fitness=score if is_valid else 0.0,
        seen=(),
        written=(),
        calls=(),
    )


def _write_files(folder: Path, manifest: Manifest, code: Mapping[str, str]) -> None:
    """Write the files of a generation as the coordinator would."""
    for name, text in code.items():
        path = folder / "repo" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    parent = {"parent": manifest.parent, "valid": manifest.valid, "error": manifest.error}
    scores = {f"{split}_score": manifest.score(split) for split in ("train", "val")}
    _write_json(folder / "metadata.json", {**parent, **scores, "error_class": every("class")})
    for split, result in manifest.splits.items():
        path = folder / f"eval_{split}" / "predictions.csv"
        path.parent.mkdir()
        with path.open("w", newline="") as file:
            rows = ((item, text, f"{text}x") for item, text in result.predictions.items())
            csv.writer(file).writerows([("id", "prediction", "label"), *rows])
        errors = dict(zip(list(result.predictions)[:30], PAYLOADS, strict=False))
        report = {"errors": errors, "score": 0.5, "metric": every("metric")}
        _write_json(folder / f"eval_{split}" / "report.json", report)
    _write_lines(folder / "llm_calls.jsonl", hostile_calls())
    edits = {"seen_utc": UTC, "path": every("edit"), "sha256": every("sha")[:90]}
    more = {"size_bytes": 1, "after_call": 1, "inferred": True, "final": False}
    _write_lines(folder / "edits.jsonl", [edits | more])
    accesses = [
        {"step": 1, "path": every("access"), "kind": "read", "count": 1, "first": 1, "last": 1},
        {"unobserved": every("unobserved")},
    ]
    _write_lines(folder / "accesses.jsonl", accesses)


def _ledger() -> Iterator[dict[str, Any]]:
    yield {"kind": "ledger", "format": 2}
    for at, agent in enumerate((*AGENTS, every("spender"))):
        account = {"id": f"c-{at}", "agent": agent, "generation": 1, "purpose": every("purpose")}
        account |= {"call_id": every("call"), "model": every("model")}
        tokens = {"prompt_tokens": 5, "completion_tokens": 5, "cost_usd": 0.5}
        yield {"kind": "reserved", **account, **tokens, "reserved_utc": UTC}
        if at:
            rest = dict.fromkeys(("cached_tokens", "cache_write_tokens", "reasoning_tokens"), 0)
            yield {"kind": "settled", **account, **tokens, **rest, "ended_utc": UTC}


def _write_json(path: Path, value: object) -> None:
    path.write_bytes(msgspec.json.encode(value))


def _write_lines(path: Path, lines: Any) -> None:
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
