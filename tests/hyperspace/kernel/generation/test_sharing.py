"""What an agent is shown of its peers: laws that hold whatever was published."""

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperspace.kernel.generation.sharing import (
    MADE_UP,
    PublishedStrategies,
    PublishedStrategy,
    choose_shown,
    shared_files,
)
from hyperspace.options.fleet import ARMS, Arm, Sharing, Show, What

MODELS = ("m/one", "m/two")
OWN_MODEL = MODELS[0]
CODE = '''"""What this does."""
# a note
X = 1  # another
'''


def bests(agent: str, model: str, fitnesses: list[float]) -> list[PublishedStrategy]:
    """What an agent has published: each one a new best, generation after generation."""
    ordered = sorted(set(fitnesses))
    return [PublishedStrategy(agent, model, 2 * n, f, f / 2, f) for n, f in enumerate(ordered)]


fitness = st.lists(st.floats(0, 1), max_size=4)
agents = st.lists(st.tuples(st.sampled_from(MODELS), fitness), max_size=4)
everyone = agents.map(
    lambda results: [
        each for number, (model, f) in enumerate(results) for each in bests(f"p{number}", model, f)
    ]
)
own = fitness.map(lambda results: bests("me", OWN_MODEL, results))
shows = st.sampled_from(("best", "top", "none"))
rules = st.builds(Sharing, show=shows, k=st.integers(1, 5), only_other_models=st.booleans())
numbers = st.integers(0, 99)


def on(arm: Arm, sharing: Sharing) -> Sharing:
    return msgspec.structs.replace(sharing, arm=arm)


@pytest.mark.long
@given(own, everyone, rules, numbers)
def test_nobody_is_shown_its_own_but_on_the_placebo_arm_and_there_nothing_else(
    mine: list[PublishedStrategy], peers: list[PublishedStrategy], sharing: Sharing, seed: int
) -> None:
    for arm in ("sharing", "shuffled"):
        shown = choose_shown(mine, peers, OWN_MODEL, on(arm, sharing), random.Random(seed))
        assert all(each.source in peers and each.agent == each.source.agent for each in shown)
    shown = choose_shown(mine, peers, OWN_MODEL, on("placebo", sharing), random.Random(seed))
    assert all(each.source in mine and each.agent.startswith(MADE_UP) for each in shown)


@pytest.mark.long
@given(own, everyone, rules, numbers)
def test_the_controls_show_as_much_as_sharing_does_and_the_arm_none_nothing(
    mine: list[PublishedStrategy], peers: list[PublishedStrategy], sharing: Sharing, seed: int
) -> None:
    shown = {
        arm: choose_shown(mine, peers, OWN_MODEL, on(arm, sharing), random.Random(seed))
        for arm in ("sharing", "none", "shuffled", "placebo")
    }
    count = len(shown["sharing"])
    assert shown["none"] == ()
    assert len(shown["shuffled"]) == count
    assert len(shown["placebo"]) == (count if mine else 0)
    assert [each.model for each in shown["placebo"]] == [each.model for each in shown["sharing"]][
        : len(shown["placebo"])
    ]
    folders = [(each.agent, each.source.generation) for each in shown["placebo"]]
    assert len(set(folders)) == len(folders)


@pytest.mark.long
@given(own, everyone, rules, numbers)
def test_shuffled_scores_are_those_of_strategies_and_the_code_stays_where_it_was(
    mine: list[PublishedStrategy], peers: list[PublishedStrategy], sharing: Sharing, seed: int
) -> None:
    plain = choose_shown(mine, peers, OWN_MODEL, sharing, random.Random(seed))
    shuffled = choose_shown(mine, peers, OWN_MODEL, on("shuffled", sharing), random.Random(seed))
    assert [each.source for each in shuffled] == [each.source for each in plain]
    before, now = (
        sorted((each.val_score or 0.0, each.train_score or 0.0) for each in results)
        for results in (plain, shuffled)
    )
    if len(plain) > 1:
        assert now == before
    assert set(now) <= {(each.val_score, each.train_score) for each in [*mine, *peers]}


def timeline(agents: int, rng: random.Random) -> list[tuple[int, PublishedStrategy]]:
    """Turns and what was published, agent by agent in its order, in the order of publishing."""
    kept = [
        bests(f"p{turn}", rng.choice(MODELS), rng.choices((0.0, 0.5, 0.9, 1.0), k=rng.randrange(4)))
        for turn in range(agents)
    ]
    turns = [turn for turn, each in enumerate(kept) for _ in each]
    rng.shuffle(turns)
    following = [iter(each) for each in kept]
    return [(turn, next(following[turn])) for turn in turns]


@pytest.mark.parametrize("arm", ARMS)
@settings(max_examples=20)
@given(rules, numbers)
def test_of_two_hundred_peers_an_agent_is_shown_what_all_that_they_published_comes_to(
    arm: Arm, sharing: Sharing, seed: int
) -> None:
    rng, terms = random.Random(seed), on(arm, sharing)
    islands, published = rng.choices(("north", "south"), k=200), timeline(200, rng)
    by_now = PublishedStrategies(islands)
    for count, (turn, latest) in enumerate(published, 1):
        by_now.add(turn, latest)
        if count not in (len(published), len(published) // 2):
            continue
        for moment in (count, count - 20):
            there = sorted(published[:moment], key=lambda pair: (pair[0], pair[1].generation))
            for looking, strategy in rng.sample(there, 3):
                agent, model = strategy.agent, strategy.model
                mine = [each for turn, each in there if turn == looking]
                for island in (None, islands[looking]):
                    peers = [
                        each
                        for turn, each in there
                        if turn != looking and island in (None, islands[turn])
                    ]
                    was_there = {each for _, each in there}.__contains__
                    is_seen = None if moment == count else was_there
                    few = by_now.of_peers(agent, model, island, terms, is_seen)
                    assert choose_shown(mine, few, model, terms, random.Random(seed)) == (
                        choose_shown(mine, peers, model, terms, random.Random(seed))
                    )


def test_what_an_agent_chooses_from_is_as_much_of_a_thousand_peers_as_of_ten() -> None:
    for count in (10, 1000):
        published = PublishedStrategies([""] * count)
        for turn in range(count):
            published.add(turn, *bests(f"p{turn}", "m", [turn / count]))
        top = published.of_peers("p0", "m", None, Sharing(show="top", k=3))
        assert [each.agent for each in top] == [f"p{count - n}" for n in (1, 2, 3)]


def test_a_lone_strategy_takes_another_score_in_some_round() -> None:
    mine, peers = bests("me", OWN_MODEL, [0.1, 0.2]), bests("p", OWN_MODEL, [0.5, 0.9])
    results = {
        choose_shown(mine, peers, OWN_MODEL, Sharing(arm="shuffled"), random.Random(seed))[
            0
        ].val_score
        for seed in range(40)
    }
    assert results == {0.1, 0.2, 0.5, 0.9}


@pytest.mark.long
@given(own, everyone, rules, numbers, st.sampled_from(("sharing", "shuffled", "placebo")))
def test_equal_questions_have_equal_answers(
    mine: list[PublishedStrategy],
    peers: list[PublishedStrategy],
    sharing: Sharing,
    seed: int,
    arm: Arm,
) -> None:
    ask = (mine, peers, OWN_MODEL, on(arm, sharing))
    assert choose_shown(*ask, random.Random(seed)) == choose_shown(*ask, random.Random(seed))


@given(everyone, numbers)
def test_best_is_one_a_peer_and_no_peer_has_a_better_one(
    peers: list[PublishedStrategy], seed: int
) -> None:
    shown = choose_shown([], peers, OWN_MODEL, Sharing(), random.Random(seed))
    assert [each.agent for each in shown] == list(dict.fromkeys(each.agent for each in peers))
    for each in shown:
        assert each.source.fitness == max(p.fitness for p in peers if p.agent == each.agent)


@given(everyone, st.integers(1, 5), numbers)
def test_top_is_the_best_of_all_that_is_published(
    peers: list[PublishedStrategy], k: int, seed: int
) -> None:
    shown = choose_shown([], peers, OWN_MODEL, Sharing(show="top", k=k), random.Random(seed))
    best = sorted((each.fitness for each in peers), reverse=True)[:k]
    assert [each.source.fitness for each in shown] == best


@given(everyone, shows, numbers)
def test_only_other_models_leaves_out_peers_on_the_own_model(
    peers: list[PublishedStrategy], show: Show, seed: int
) -> None:
    sharing = Sharing(show=show, only_other_models=True)
    shown = choose_shown([], peers, OWN_MODEL, sharing, random.Random(seed))
    assert all(each.model != OWN_MODEL for each in shown)


def test_of_a_strategy_is_shown_what_the_rules_name() -> None:
    files = {"task_agent.py": CODE, "meta_agent.py": CODE, "notes.md": "Read this."}

    def shown(*what: What) -> dict[str, str]:
        return shared_files(files, Sharing(what=what))

    assert shown("task", "meta", "score", "notes") == files
    assert set(shown("meta", "notes")) == {"meta_agent.py"}
    assert shown("score") == {}
    assert shown("task") == {"task_agent.py": '""\n\nX = 1  \n'}


def test_without_notes_what_cannot_be_read_is_not_shown() -> None:
    assert shared_files({"task_agent.py": '"""no end'}, Sharing(what=("task",))) == {}
