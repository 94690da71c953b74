"""One candidate as two jobs: the training, then the frozen evaluation of what it left.

The two never meet: the training's sandbox holds neither evaluation nor sealed data, and the
evaluation's holds no code of the candidate's. What a training prints is a log for people.
"""

import math
from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from guards.parsing import decode_json
from hyperspace.executor.base import Executor, JobCallbacks
from hyperspace.executor.jobs import ConfinedJob, CountedBy, JobOutcome, job_id, left_behind
from hyperspace.executor.resources import Resources
from hyperspace.kernel.files import sha256_hex
from hyperspace.research.environments.artefacts import why_not
from hyperspace.research.environments.description import (
    PYTHON,
    BudgetTable,
    EvaluationTable,
    JobTable,
)
from hyperspace.research.environments.repository import ARTEFACTS, Environment

NOBODY: Final = JobCallbacks()
JobState = Literal["queued", "running", "done", "failed", "timed_out", "cancelled", "lost"]


class ScoredJob(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a candidate.

    Attributes:
        state: Of the training; `failed` too where the evaluation could not judge what it left.
        reason: Why it is not done, in one sentence; empty where it is.
        score: What the frozen evaluation says, rounded as the environment has it; None where there
            is none.
        artefacts: SHA-256 of what it left, by path.
        log: The end of what it printed; nobody believes it.
        judged: The last line of an evaluation that failed, for people alone: it may hold what is
            sealed.
        cpu_s: CPU seconds of training and evaluation.
        cpu_by: Who counted those of the training.
    """

    state: JobState
    reason: str = ""
    score: float | None = None
    artefacts: dict[str, str] = {}
    log: str = ""
    judged: str = ""
    cpu_s: float = 0.0
    cpu_by: CountedBy = ""


class ScoredCandidate(msgspec.Struct, frozen=True):
    """A candidate's result, and the content of its artefacts.

    Attributes:
        job: What came of it.
        files: Content of its artefacts, by path.
    """

    job: ScoredJob
    files: dict[str, bytes] = {}


def training_job(environment: Environment, files: Mapping[str, bytes], sandbox: str) -> ConfinedJob:
    """Return the job that trains a repository."""
    table = environment.description.table
    artefacts = {path: artefact.most_bytes for path, artefact in table.job.artefacts.items()}
    data = _data(environment, "job")
    return _confined(table.job, files, artefacts, table.budget, sandbox, data)


def evaluation_job(
    environment: Environment, artefacts: Mapping[str, bytes], sandbox: str
) -> ConfinedJob:
    """Return the job that judges what a training left."""
    evaluation = environment.description.table.evaluation
    files = {**environment.sealed, **_beside(artefacts)}
    data = _data(environment, "evaluation")
    return _confined(evaluation, files, {}, evaluation.budget, sandbox, data)


def held_out_job(
    environment: Environment, artefacts: Mapping[str, bytes], sandbox: str
) -> ConfinedJob:
    """Return the job that judges what a training left on data that no search was judged on."""
    evaluation = environment.description.table.evaluation
    if evaluation.held_out and evaluation.held_out.command:
        evaluation = msgspec.structs.replace(evaluation, command=evaluation.held_out.command)
    files = {**environment.held_out, **_beside(artefacts)}
    data = _data(environment, "held_out")
    return _confined(evaluation, files, {}, evaluation.budget, sandbox, data)


async def score_candidate(
    environment: Environment,
    files: Mapping[str, bytes],
    executor: Executor,
    sandbox: str,
    callbacks: JobCallbacks = NOBODY,
) -> ScoredCandidate:
    """Train a repository and judge what it leaves; equal repositories are one job.

    Args:
        environment: Says how.
        files: The repository, path to content.
        executor: Where jobs are played; of one that is on record nothing is played again.
        sandbox: Name of the sandbox.
        callbacks: Of the training; what the evaluation prints is told nobody.
    """
    job = await executor.submit(training_job(environment, files, sandbox), callbacks)
    outcome = await executor.wait(job)
    left = left_behind(outcome)
    trained = ScoredJob(
        state=outcome.state,
        reason=outcome.reason,
        log=_log(outcome),
        cpu_s=left.cpu_s,
        cpu_by=left.cpu_by,
    )
    if outcome.state != "done":
        return ScoredCandidate(trained)
    if why := _refusal(environment, left.files):
        return ScoredCandidate(msgspec.structs.replace(trained, state="failed", reason=why))
    hashes = {path: sha256_hex(data) for path, data in left.files.items()}
    trained = msgspec.structs.replace(trained, artefacts=hashes)
    evaluation = evaluation_job(environment, left.files, sandbox)
    judged = await executor.wait(
        await executor.submit(evaluation, JobCallbacks(label=callbacks.label))
    )
    return ScoredCandidate(_scored(environment, trained, judged), left.files)


async def judge_held_out(
    environment: Environment, candidate: ScoredCandidate, executor: Executor, sandbox: str
) -> ScoredJob:
    """Return what the held-out evaluation says of a candidate that has a score."""
    job = await executor.submit(held_out_job(environment, candidate.files, sandbox), NOBODY)
    return _scored(environment, ScoredJob(state="done"), await executor.wait(job))


def forget_candidate(
    environment: Environment,
    files: Mapping[str, bytes],
    result: ScoredCandidate,
    executor: Executor,
    sandbox: str,
) -> None:
    """Drop what is on record of a candidate's jobs, so that they are played again."""
    executor.forget(job_id(training_job(environment, files, sandbox)))
    if result.files:
        executor.forget(job_id(evaluation_job(environment, result.files, sandbox)))
        executor.forget(job_id(held_out_job(environment, result.files, sandbox)))


def _scored(environment: Environment, trained: ScoredJob, judged: JobOutcome) -> ScoredJob:
    cpu_s = round(trained.cpu_s + left_behind(judged).cpu_s, 3)
    trained = msgspec.structs.replace(trained, cpu_s=cpu_s)
    if judged.state != "done":
        last = (_log(judged).strip().splitlines() or ["it printed nothing"])[-1][:300]
        state = judged.state if judged.state in ("lost", "cancelled") else "failed"
        reason = f"the evaluation cannot judge what it left: {judged.reason}"
        return msgspec.structs.replace(trained, state=state, reason=reason, judged=last)
    evaluation = environment.description.table.evaluation
    score = _score(judged, evaluation.metric)
    if score is None:
        reason = f"the evaluation gave no finite number {evaluation.metric!r} for what it left"
        return msgspec.structs.replace(trained, state="failed", reason=reason)
    return msgspec.structs.replace(trained, score=round(score, evaluation.digits))


def _score(judged: JobOutcome, metric: str) -> float | None:
    """Return the metric of the last line that the evaluation printed; None if it is no number."""
    for line in reversed(judged.lines):
        if line.strip():
            try:
                value: Any = decode_json(line, dict[str, Any]).get(metric)
            except msgspec.DecodeError:
                return None
            if isinstance(value, bool) or not isinstance(value, int | float):
                return None
            return float(value) if math.isfinite(value) else None
    return None


def _refusal(environment: Environment, files: Mapping[str, bytes]) -> str:
    artefacts = environment.description.table.job.artefacts
    if files.keys() - artefacts.keys():
        return "it left a file that nobody asked for"
    for path, artefact in artefacts.items():
        if len(files.get(path, b"")) > artefact.most_bytes:
            return f"the {path} that it left has more than {artefact.most_bytes:,} bytes"
        if why := why_not(files.get(path, b""), artefact.format):
            return f"the {path} that it left {why}"
    return ""


def _beside(artefacts: Mapping[str, bytes]) -> dict[str, bytes]:
    return {f"{ARTEFACTS}/{path}": data for path, data in artefacts.items()}


def _data(
    environment: Environment, reader: Literal["job", "evaluation", "held_out"]
) -> dict[str, str]:
    tables = environment.description.table.data or {}
    also = ("both", "evaluation") if reader == "held_out" else ("both",)
    return {
        name: folder.sha256
        for name, folder in environment.data.items()
        if tables[name].read_by in (reader, *also)
    }


def _confined(
    table: JobTable | EvaluationTable,
    files: Mapping[str, bytes],
    artefacts: Mapping[str, int],
    budget: BudgetTable,
    sandbox: str,
    data: dict[str, str],
) -> ConfinedJob:
    return ConfinedJob(
        command=tuple("{python}" if word == PYTHON else word for word in table.command),
        files=dict(files),
        artefacts=dict(artefacts),
        run_s=budget.wall_s,
        cpu_s=budget.cpu_s,
        processes=budget.processes,
        limits=budget.limits(),
        sandbox=sandbox,
        packages=table.packages,
        data=data or msgspec.UNSET,
        resources=Resources(gpus=table.gpus or 0),
    )


def _log(outcome: JobOutcome) -> str:
    return "".join(f"{line.decode('utf-8', 'replace')}\n" for line in outcome.lines)
