"""The small laws under "same seed, same run": streams, clock, ids, digest."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from hyperspace.kernel.state.digest import digest_of
from hyperspace.kernel.state.ids import RunIds, logical_time
from hyperspace.kernel.state.manifest import order_of
from hyperspace.kernel.state.rng import derive_seed, stream
from markspace import Observation
from tests.support.runs.manifests import manifest

SEEDS = st.integers(min_value=0, max_value=2**63)


@given(SEEDS, st.text(), st.text())
def test_streams_repeat_and_differ_by_name(seed: int, name: str, other_name: str) -> None:
    first = stream(seed, name).random()
    assert stream(seed, name).random() == first
    assert (stream(seed, other_name).random() == first) == (name == other_name)


@given(SEEDS)
def test_derived_seeds_fit_every_providers_parameter(seed: int) -> None:
    assert 0 <= derive_seed(seed, "model") < 2**31


@given(st.integers(0, 10**6), st.integers(1, 9))
def test_logical_time_orders_turns(generation: int, agents: int) -> None:
    times = [logical_time(generation, turn, agents) for turn in range(agents)]
    assert times == sorted(set(times))
    assert times[-1] < logical_time(generation + 1, 0, agents)


def test_ids_repeat_after_a_restart_and_never_within_a_run() -> None:
    mark = Observation(scope="code/a", topic="gen/1")

    def ids(seed: int) -> list[UUID]:
        factory = RunIds(seed)
        ids: list[UUID] = []
        for generation in range(3):
            factory.begin("a", generation)
            ids += [factory(mark), factory(mark)]
        return ids

    assert ids(1) == ids(1)
    assert len(set(ids(1))) == 6
    assert not set(ids(1)) & set(ids(2))


def test_the_digest_is_of_every_manifest_in_the_order_of_generations() -> None:
    manifests = [manifest(generation, 0.5) for generation in range(12)]
    digests = {
        digest_of(part) for part in (manifests, manifests[:-1], [*manifests[1:], *manifests])
    }
    assert len(digests) == 3
    assert sorted(manifests[6:] + manifests[:6], key=order_of) == manifests
