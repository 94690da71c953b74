"""Arms of a research run: what its authors see of each other's ideas."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.research.loop.folder import ResearchFolder
from hyperspace.research.loop.records import Arm, ClosedIdea, IdeaManifest, ResearchConfig
from hyperspace.research.loop.sharing import ideas_shown
from hyperspace.tracing.traces import read_trace
from tests.hyperspace.research.environments import fit_line, write_small
from tests.hyperspace.research.runs import IDEATOR, config_for
from tests.support.command import failed, hyperspace
from tests.support.sandboxes import needs_bubblewrap

AUTHORS = 3
TOLD = re.compile(r'<idea-[0-9a-f]{16} number="(\d+)">')


def config(arm: Arm, seed: int = 42) -> ResearchConfig:
    return config_for(
        fit_line(), models=(IDEATOR,) * AUTHORS, epochs=9, ideas=9, arm=arm, seed=seed
    )


def idea(number: int, score: float | None, tree: str = "") -> ClosedIdea:
    manifest = IdeaManifest(
        number=number, epoch=0, author=config("search").author(number) if number else "",
        kind="explore", parent=0, shown=(), gates=(), tree_sha256=tree,
        state="failed" if score is None else "done", score=score, calls=(),
    )  # fmt: skip
    reason = f"idea {number} failed" if score is None else ""
    return ClosedIdea(
        manifest=manifest, text=f"idea {number}", diff="", tries=(), reason=reason, artefacts={},
        log="", cpu_s=0.0,
    )  # fmt: skip


def result(one: ClosedIdea) -> tuple[Any, ...]:
    return one.manifest.state, one.score, one.reason


REFUSED = (None, "")
EARLIER = st.lists(
    st.tuples(st.none() | st.floats(0, 9), st.just("tree")) | st.just(REFUSED), max_size=20
).map(lambda rows: {0: idea(0, 5.0, "tree"), **{n: idea(n, *row) for n, row in enumerate(rows, 1)}})


@pytest.mark.long
@given(EARLIER, st.integers(0, 9))
def test_each_arm_shows_what_it_says(earlier: dict[int, ClosedIdea], epoch: int) -> None:
    for author, shown in ideas_shown(config("none"), epoch, earlier).items():
        assert {one.manifest.author for one in shown.values()} <= {author, ""}
        assert {n: earlier[n] for n in shown} == shown
    assert all(shown == earlier for shown in ideas_shown(config("search"), epoch, earlier).values())
    for author, shown in ideas_shown(config("shuffled"), epoch, earlier).items():
        others = [n for n, one in earlier.items() if one.manifest.author not in (author, "")]
        assert shown.keys() == earlier.keys()
        assert all(shown[n] == earlier[n] for n in earlier if n not in others)
        assert [shown[n].text for n in others] == [earlier[n].text for n in others]
        results = [Counter(result(ideas[n]) for n in others) for ideas in (shown, earlier)]
        assert results[0] == results[1]
        assert all(one.manifest.tree_sha256 for one in shown.values() if one.score is not None)


def test_shuffled_results_are_those_of_other_ideas_and_the_same_again() -> None:
    earlier = {number: idea(number, float(number), "tree") for number in range(30)}
    shown = ideas_shown(config("shuffled"), 1, earlier)
    assert shown == ideas_shown(config("shuffled"), 1, earlier)
    assert shown != ideas_shown(config("shuffled", seed=43), 1, earlier)
    assert all(sum(ideas[n].score != n for n in earlier) > 10 for ideas in shown.values())


@needs_bubblewrap
@pytest.mark.long
def test_a_set_plays_each_arm_and_prompts_hold_what_the_arm_shows(tmp_path: Path) -> None:
    env = write_small(tmp_path / "env")
    words = ("--env", env, "--models", IDEATOR, f"{IDEATOR}?pairs=1", "--epochs", "2")
    several = ("--ideas", "4", "--arms", "shuffled,search,none,best_of_n", "--seeds", "7,9")
    done = hyperspace("research", *words, *several, "--results", tmp_path, "--json", timeout_s=600)
    every = [json.loads(line) for line in done.stdout.splitlines()]
    arms = ("search", "none", "shuffled", "best_of_n")
    assert [(one["seed"], one["arm"]) for one in every] == [(s, a) for s in (7, 9) for a in arms]
    for fields in every:
        run = ResearchFolder(Path(fields["run"]))
        told = {n: _told(run, n) for n in range(1, 9)}
        seen_of_others = any((n - m) % 2 for n, ideas in told.items() for m in ideas)
        assert any(told.values()) == (fields["arm"] != "best_of_n")
        assert seen_of_others == (fields["arm"] in ("search", "shuffled"))
        if fields["seed"] == 7:
            assert hyperspace("replay", run.root, timeout_s=300).returncode == 0


def _told(run: ResearchFolder, number: int) -> list[int]:
    """The ideas that the prompt of an idea tells of."""
    calls = read_trace(run.trace(number)).calls
    texts = [message["content"] for call in calls for message in call.messages]
    return [int(found) for text in texts for found in TOLD.findall(text)]


def test_bad_arms_are_sentences(tmp_path: Path) -> None:
    words = ("research", "--env", "fit_line", "--models", IDEATOR, "--results", tmp_path)
    for lonely in ("none", "search,shuffled"):
        assert "name two or more" in failed(hyperspace(*words, "--arms", lonely), 2)
    for bad in ("sharing", "search,search", ""):
        assert "name some of search, none" in failed(hyperspace(*words, "--arms", bad), 2)
    assert "a set has at most" in failed(hyperspace(*words, "--seeds", "1..99999999"), 2)
    assert not list(tmp_path.iterdir())
