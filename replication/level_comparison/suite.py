"""The final adversarial suite of a seed: what stands of the arenas of other seeds."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from hyperspace.extensions.arena.judging import known_forms
from hyperspace.tasks.base import Domain
from hyperspace.tasks.shapes.cases import HasOracle, TaskCase
from hyperspace.tasks.table import normalise


def final_suite(
    domain: Domain,
    oracle: HasOracle,
    others: Iterable[Sequence[TaskCase]],
    own: Iterable[Sequence[TaskCase]],
) -> tuple[TaskCase, ...]:
    """Return the cases of arenas of other seeds that no run of a seed has met.

    Each stands once by its normal form, and none is nearly the same as an item of the task, or as
    a case of the seed's own arenas. The oracle is asked again about each.

    Args:
        domain: The task as the seed has it.
        oracle: The same, as what judges cases.
        others: What stands of each arena of another seed.
        own: What stands of each arena of the seed.
    """
    met = {*known_forms(domain, oracle)}
    met |= {oracle.normal_form(case.inputs) for cases in own for case in cases}
    suite: list[TaskCase] = []
    for number, cases in enumerate(others):
        for case in cases:
            form = oracle.normal_form(case.inputs)
            if form not in met and oracle.decide(case.inputs).label == case.label:
                met.add(form)
                suite.append(replace(case, id=f"final-{number}-{case.id}"))
    return tuple(suite)


def share_right(cases: Sequence[TaskCase], answers: Mapping[str, str]) -> float:
    """Return the share of cases that are answered as the oracle does."""
    return sum(normalise(answers.get(case.id)) == case.label for case in cases) / len(cases)
