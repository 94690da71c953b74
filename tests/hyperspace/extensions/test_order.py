"""Which extensions a run has, and in which order they are asked."""

import re
import subprocess
import sys
from typing import Any

import msgspec
import pytest

from hyperspace.extensions.arena.extension import ArenaTurns
from hyperspace.extensions.diagnosis.diagnosis import FixedDiagnosis
from hyperspace.extensions.ensemble.ensemble import AnsweringTogether
from hyperspace.extensions.levels.extension import WorkerAndReviewer
from hyperspace.extensions.order import extensions_of, known
from hyperspace.extensions.rescoring.rescoring import RescoredBest
from hyperspace.extensions.tournament.tournament import Annealing as Tournaments
from hyperspace.kernel.generation.extension import Extension
from hyperspace.kernel.state.config import RunConfig
from hyperspace.options.solo import Annealing, SoloTerms
from tests.hyperspace.extensions.arena.test_sealed_forms import CONFIG as ARENA
from tests.support.paths import ROOT
from tests.support.runs.begun import CONFIG as PAIR


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


def test_each_extension_of_the_package_is_known() -> None:
    folder = ROOT / "hyperspace" / "extensions"
    classes = (
        f"{path.parent.name}.{path.stem}:{match}"
        for path in folder.glob("*/*.py")
        for match in re.findall(r"^class (\w+)\(.*(?:Extension|RoundEnd)", path.read_text(), re.M)
    )
    assert sorted(classes) == sorted(known(PAIR))


def test_a_pair_loads_no_extension() -> None:
    look = (
        "import sys; from tests.hyperspace.extensions.test_order import PAIR\n"
        "for name in [n for n in sys.modules if n.startswith('hyperspace.extensions.')]:\n"
        "    del sys.modules[name]\n"
        "from hyperspace.extensions.order import extensions_of; extensions_of(PAIR)\n"
        "print(*[n for n in sys.modules if n.startswith('hyperspace.extensions.')])"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.split() == ["hyperspace.extensions.order"], done.stderr
