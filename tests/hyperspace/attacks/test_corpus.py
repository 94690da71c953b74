"""Every attack of the corpus, against sandboxes as they are used."""

from collections import Counter

import pytest

from tests.support.attacks import CORPUS, verdicts, whole
from tests.support.paths import ROOT
from tests.support.sandboxes import needs_bubblewrap

SANDBOXES = [
    pytest.param("bubblewrap", marks=[needs_bubblewrap, pytest.mark.long]),  # cold
    pytest.param("warm", marks=needs_bubblewrap),
    pytest.param("docker", marks=pytest.mark.docker),
]


@pytest.fixture(scope="module")
def on_bubblewrap(request: pytest.FixtureRequest) -> dict[str, str]:
    return verdicts(request, "bubblewrap", whole)


@pytest.fixture(scope="module")
def on_warm(request: pytest.FixtureRequest) -> dict[str, str]:
    return verdicts(request, "warm", whole)


@pytest.fixture(scope="module")
def on_docker(request: pytest.FixtureRequest, docker_daemon: None) -> dict[str, str]:
    return verdicts(request, "docker", whole)


@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize("case", CORPUS)
def test_the_attack_is_held_back(case: str, sandbox: str, request: pytest.FixtureRequest) -> None:
    observed = request.getfixturevalue(f"on_{sandbox}")[case]
    assert observed == CORPUS[case].play.expected


def test_no_two_attacks_have_one_name_or_one_program() -> None:
    from hyperspace.attacks.corpus import corpus

    attacks = corpus()
    assert len(attacks) == len(CORPUS) >= 100
    programs = [repr(attack.play) for attack in attacks]
    assert len(set(programs)) == len(programs)
    assert all(attack.stopped_by and attack.about for attack in attacks)


def test_the_documentation_counts_them_by_family() -> None:
    text = (ROOT / "docs" / "reference" / "attacks.md").read_text()
    families = Counter(attack.family for attack in CORPUS.values())
    assert [name for name in families if f"- `{name}`, {families[name]}: " not in text] == []
