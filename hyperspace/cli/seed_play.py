"""Plays a domain's seed, or other code, in sandboxes by the evaluation of a run, without a run."""

import math
import os
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from guards.sandboxes.sandbox import Limits, Sandbox
from hyperspace.cli.counted_sandbox import CountedSandbox
from hyperspace.kernel.evaluation.assess import has_outcomes
from hyperspace.kernel.evaluation.attempt_log import AttemptLog
from hyperspace.kernel.evaluation.evaluate import evaluate_split
from hyperspace.kernel.evaluation.evaluator import CandidateFailed
from hyperspace.kernel.evaluation.failures import only_errors
from hyperspace.kernel.evaluation.sandboxed import SandboxedEvaluation
from hyperspace.kernel.evaluation.sandboxes import AttemptSandboxes, Pace
from hyperspace.kernel.events import nobody
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.manifest import SplitResult
from hyperspace.launch.start import seed_code
from hyperspace.lookup.resolve import resolve
from hyperspace.messages import CallKey
from hyperspace.tasks.base import Domain, Split
from hyperspace.tasks.shapes.outcome import decode_outcome
from hyperspace.tracing.traces import Recorder
from hyperspace.workspace.seed_code import runtime_files

_EVERY_GENERATION: Final[tuple[Split, ...]] = ("train", "val")
_NAME: Final = "seed"
_MODEL: Final = "offline/tinker"  # asked by no seed that is played here


class SeedFailed(Exception):
    """The seed does not pass the gates, ends its sandbox, or scores no finite number."""


class SeedPlayed(msgspec.Struct, frozen=True):
    """What a seed is worth.

    Attributes:
        scores: By split.
        cpu_s: CPU seconds of gates, train and val: those of its sandboxes and of the host.
        why_nothing: What is said of the first item of train; empty if train scored above 0.
    """

    scores: Mapping[Split, float]
    cpu_s: float
    why_nothing: str = ""


async def play_seed(domain: Domain, sandbox: Sandbox) -> SeedPlayed:
    """Take a seed through the gates and evaluate it on each split.

    Raises:
        SeedFailed: It does not pass, ends its sandbox too often or scores no finite number.
    """
    with TemporaryDirectory(prefix="hyperspace-check-") as name:
        folder = Path(name)
        recorder = Recorder(folder / "trace.jsonl")
        try:
            counted = CountedSandbox(sandbox)
            return await _play(domain, seed_evaluation(domain, counted, folder, recorder), counted)
        except CandidateFailed as error:
            raise SeedFailed(f"the seed cannot be evaluated: {error}") from error
        finally:
            recorder.close()
            sandbox.sweep(_label())


async def _play(
    domain: Domain, evaluation: SandboxedEvaluation, sandbox: CountedSandbox
) -> SeedPlayed:
    before = time.process_time()
    gates = await evaluation.pass_gates()
    if not gates.passed:
        raise SeedFailed(f"the seed does not pass the gate {gates.gate}: {gates.error}")
    results: dict[Split, SplitResult] = {}
    for split in _EVERY_GENERATION:
        results[split] = await _result(domain, evaluation, split)
    used = time.process_time() - before + sandbox.cpu_s()
    results["test"] = await _result(domain, evaluation, "test")
    scores: dict[Split, float] = {split: result.score for split, result in results.items()}
    if error := only_errors(domain, results["train"]):
        raise SeedFailed(f"every item of train ends with an error; {error}")
    why = _why_nothing(domain, results["train"]) if domain.fitness(scores["train"]) <= 0 else ""
    return SeedPlayed(scores, used, why)


async def _result(domain: Domain, evaluation: SandboxedEvaluation, split: Split) -> SplitResult:
    result = await evaluate_split(evaluation.evaluator(), split)
    fitness = domain.fitness(result.score)
    if not (math.isfinite(fitness) and 0 <= fitness <= 1):
        raise SeedFailed(f"the seed's score {result.score} on {split} has the fitness {fitness}")
    return result


def _why_nothing(domain: Domain, result: SplitResult) -> str:
    """Return what is said of the first item: why there is no answer, or what it is worth."""
    first = domain.items("train")[0].id
    if first in result.errors:
        return result.errors[first]
    answer = result.predictions.get(first, "")
    return decode_outcome(answer).reason if has_outcomes(domain) else f"it answers {answer[:80]!r}"


async def answer_test(
    domain: Domain, sandbox: Sandbox, code: Mapping[str, str]
) -> Mapping[str, str]:
    """Return what code that passed its gates answers on a domain's test split, by item.

    Raises:
        CandidateFailed: It ends its sandbox too often.
    """
    with TemporaryDirectory(prefix="hyperspace-answers-") as name:
        folder = Path(name)
        recorder = Recorder(folder / "trace.jsonl")
        try:
            evaluation = seed_evaluation(domain, sandbox, folder, recorder, code)
            return (await evaluate_split(evaluation.evaluator(), "test")).predictions
        finally:
            recorder.close()
            sandbox.sweep(_label())


def seed_evaluation(
    domain: Domain,
    sandbox: Sandbox,
    folder: Path,
    recorder: Recorder,
    code: Mapping[str, str] | None = None,
) -> SandboxedEvaluation:
    """Return the evaluation of a domain's seed, or of other code, as in generation 0 of a run."""
    model, runtime = resolve(_MODEL), runtime_files()
    config = RunConfig(
        kind="pair",
        domain=domain.name,
        data_sha256=domain.data_sha256,
        models=(_MODEL,),
        agents=(_NAME,),
        eval_model=None,
        generations=0,
        seed=0,
    )
    sandboxes = AttemptSandboxes(
        sandbox=sandbox,
        limits=Limits(),
        label=_label(),
        config=config,
        agent=_NAME,
        generation=0,
        attempt="gen_0",
        seeds=runtime,
        recorder=recorder,
        log=AttemptLog(),
        replayed=None,
    )
    files = seed_code(domain, {}, config) if code is None else code
    return SandboxedEvaluation(
        domain=domain,
        sandboxes=sandboxes,
        files={path: text.encode() for path, text in files.items()} | runtime,
        model=model,
        generation=0,
        role="",
        pace=Pace(),
        workers=1,
        emit=nobody,
        folder=folder,
        ask_judge=_no_judge,
    )


async def _no_judge(key: CallKey, _prompt: str) -> str:
    raise SeedFailed(f"the answer to {key.item} needs a judge, and there is none")


def _label() -> str:
    """Names this process's sandboxes: two checks at a time must not sweep each other's."""
    return f"domain-check-{os.getpid()}"
