"""No hostile diff raises a score, and what each did is on record."""

from pathlib import Path

import pytest

from hyperspace.kernel.state.scopes import VIOLATIONS
from hyperspace.research.environments.repository import Environment
from hyperspace.research.loop.records import BASELINE, ClosedIdea
from hyperspace.research.loop.space import reading_from
from markspace import MarkType
from tests.hyperspace.research.environments import fit_line
from tests.hyperspace.research.hostile import HostileDiff, hostile_diffs
from tests.hyperspace.research.runs import ScriptedIdeator, block, config_for, play
from tests.support.sandboxes import needs_bubblewrap

pytestmark = needs_bubblewrap
GATES = ("frozen", "links", "types", "apply", "size")


def fate_of(idea: ClosedIdea, baseline: ClosedIdea, environment: Environment) -> str:
    """What came of a diff, as the corpus tells it."""
    if idea.manifest.state == "refused":
        return idea.tries[-1].gate
    if idea.score is None:
        return idea.manifest.state
    assert baseline.score is not None
    assert not environment.description.is_better(idea.score, baseline.score), idea.text
    return "no better"


def test_the_corpus_has_every_kind_and_at_least_25() -> None:
    corpus = hostile_diffs(fit_line())
    assert len(corpus) >= 25
    assert len({each.about for each in corpus}) == len(corpus)
    assert {each.fate for each in corpus} == {*GATES, "failed", "timed_out", "no better"}


@pytest.mark.long
def test_no_hostile_diff_raises_a_score_and_all_are_on_record(tmp_path: Path) -> None:
    environment = fit_line()
    corpus = hostile_diffs(environment)
    model = ScriptedIdeator([[block(each.diff)] for each in corpus])
    config = config_for(environment, ideas=len(corpus), repairs=0)
    closed = play(environment, config, model, tmp_path)
    assert set(closed) == {BASELINE, *range(1, 1 + len(corpus))}
    fates = {each.about: closed[n] for n, each in enumerate(corpus, 1)}
    came = {about: fate_of(idea, closed[BASELINE], environment) for about, idea in fates.items()}
    assert came == {each.about: each.fate for each in corpus}
    for number, each in enumerate(corpus, 1):
        check_record(closed[number], each)
    with reading_from(tmp_path / "space.db", config) as space:
        warnings = space.space.read(f"{VIOLATIONS}/ideator-0", mark_type=MarkType.WARNING)
    warned = sum(each.fate in ("frozen", "links", "types") for each in corpus)
    assert len(warnings) == warned


def check_record(idea: ClosedIdea, hostile: HostileDiff) -> None:
    """What was tried, and what came of it, can be read later."""
    assert idea.tries[0].diff == hostile.diff
    assert (idea.reason == "") == (idea.score is not None)
    if hostile.about == "a false log":
        assert '{"loss": 0.0}' in idea.log, "people see it, and nobody believes it"
    if hostile.about == "looks for sealed data":
        assert "sealed data at" not in idea.log
