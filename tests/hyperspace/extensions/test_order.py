"""Which extensions a run has, and in which order they are asked."""

from typing import Any

import msgspec
import pytest

from hyperspace.extensions.arena.extension import ArenaTurns
from hyperspace.extensions.diagnosis.diagnosis import FixedDiagnosis
from hyperspace.extensions.ensemble.ensemble import AnsweringTogether
from hyperspace.extensions.levels.extension import WorkerAndReviewer
from hyperspace.extensions.order import EXTENSIONS, extensions_of
from hyperspace.extensions.rescoring.rescoring import RescoredBest
from hyperspace.extensions.tournament.tournament import Annealing as Tournaments
from hyperspace.kernel.generation.extension import Extension
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.options.solo import Annealing, SoloTerms
from tests.hyperspace.extensions.arena.test_sealed_forms import CONFIG as ARENA

PAIR = RunConfig(
    kind="pair",
    domain="repo_quality",
    data_sha256="",
    models=("offline/tinker", "offline/magpie"),
    agents=("tinker", "magpie"),
    eval_model=None,
    generations=3,
    seed=1,
)


def solo(**terms: Any) -> RunConfig:
    """A solo run with these terms."""
    alone = {"kind": "solo", "models": ("offline/tinker",), "agents": ("tinker",)}
    return msgspec.structs.replace(PAIR, **alone, solo=SoloTerms(experiment="e", arm="a", **terms))


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (PAIR, ()),
        (solo(), ()),
        (msgspec.structs.replace(PAIR, options={"rotate_val": 2}), (RescoredBest,)),
        (solo(annealing=Annealing()), (Tournaments,)),
        (solo(diagnosis="agent"), (FixedDiagnosis,)),
        (solo(level="loop"), (WorkerAndReviewer,)),
        (
            solo(annealing=Annealing(), diagnosis="agent", optimise="both"),
            (Tournaments, FixedDiagnosis, AnsweringTogether),
        ),
        (ARENA, (ArenaTurns, RescoredBest)),
    ],
)
def test_a_run_has_what_its_terms_ask_for_in_one_order(
    config: RunConfig, expected: tuple[type[Extension], ...]
) -> None:
    assert tuple(map(type, extensions_of(config))) == expected


def test_each_extension_is_named_once() -> None:
    subclasses = {each for each in Extension.__subclasses__() if "extensions" in each.__module__}
    assert sorted(map(id, map(type, EXTENSIONS))) == sorted(map(id, subclasses))
