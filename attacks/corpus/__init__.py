"""The attacks, by family."""

from collections.abc import Sequence

from attacks.attack import Attack, Family


def corpus() -> Sequence[Attack]:
    """Every attack, in the order of families."""
    from attacks.corpus import (
        answers,
        broker,
        evaluation,
        files,
        kernel,
        narrative,
        network,
        processes,
        resources,
        words,
        workspace,
    )

    families: tuple[Family, ...] = (
        files.FAMILY,
        workspace.FAMILY,
        processes.FAMILY,
        resources.FAMILY,
        network.FAMILY,
        kernel.FAMILY,
        broker.FAMILY,
        answers.FAMILY,
        evaluation.FAMILY,
        narrative.FAMILY,
        words.FAMILY,
    )
    return [attack for family in families for attack in family.attacks]
