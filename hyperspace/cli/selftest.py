"""`hyperspace audit --selftest`: the attack corpus against the sandboxes of this machine."""

import argparse
from collections.abc import Mapping, Sequence

import anyio

from guards.sandboxes.choose import BOUNDARIES
from guards.sandboxes.sandbox import SandboxUnavailable
from hyperspace.attacks.attack import Attack
from hyperspace.attacks.corpus import corpus
from hyperspace.attacks.runner import AttackOutcome, Contender, contenders, failed, run_attacks
from hyperspace.cli.printing.streaming import print_json, tell_line
from hyperspace.kernel.errors import RunUsageError

TELL_EVERY = 25
NAME_WIDTH, FAMILY_WIDTH, VERDICT_WIDTH = 42, 11, 24


def run_selftest(args: argparse.Namespace) -> int:
    """Run the corpus; 0 if every attack came out as expected in every usable sandbox."""
    families = sorted({attack.family for attack in corpus()})
    if args.family not in (None, *families):
        raise RunUsageError(
            f"no attacks are of family {args.family!r}; there are {', '.join(families)}"
        )
    attacks = [attack for attack in corpus() if args.family in (None, attack.family)]
    usable, reasons = _chosen(args.sandbox)
    outcomes = _played(attacks, usable) if usable else []
    if args.json:
        print_json({"attacks": outcomes})
    else:
        _print_table(usable, outcomes)
    for name, why in reasons.items():
        tell_line(f"{name} was not tested: {why}")
    return 1 if failed(outcomes) or not usable else 0


def _chosen(name: str | None) -> tuple[list[Contender], Mapping[str, str]]:
    names = sorted({kind.family for kind in BOUNDARIES.values()})
    if name not in (None, *names):
        raise RunUsageError(f"no sandbox {name!r} can be tested; there are {', '.join(names)}")
    usable, reasons = contenders()
    if name is None:
        return usable, reasons
    chosen = [contender for contender in usable if contender.sandbox == name]
    missing = {way: why for way, why in reasons.items() if way.startswith(name)}
    if not chosen:
        raise SandboxUnavailable(next(iter(missing.values())))
    return chosen, missing


def _played(attacks: Sequence[Attack], usable: Sequence[Contender]) -> list[AttackOutcome]:
    done = 0

    def tell(outcome: AttackOutcome) -> None:
        nonlocal done
        done += 1
        if not outcome.passed:
            tell_line(f"{outcome.sandbox} {outcome.path}: {outcome.name}: {outcome.observed}")
        if done % TELL_EVERY == 0:
            tell_line(f"{done} attacks were played")

    return anyio.run(run_attacks, attacks, usable, tell)


def _print_table(usable: Sequence[Contender], outcomes: Sequence[AttackOutcome]) -> None:
    columns = [(contender.sandbox, contender.path) for contender in usable]
    titles = "".join(f"{f'{name} ({path})':<{VERDICT_WIDTH}}" for name, path in columns)
    print(f"{'family':<{FAMILY_WIDTH}}{'attack':<{NAME_WIDTH}}{titles}".rstrip())
    by_attack = {(o.sandbox, o.path, o.name): o for o in outcomes}
    for first in outcomes:
        if (first.sandbox, first.path) == columns[0]:
            row = [by_attack.get((name, path, first.name)) for name, path in columns]
            line = "".join(f"{_verdict(outcome):<{VERDICT_WIDTH}}" for outcome in row)
            print(f"{first.family:<{FAMILY_WIDTH}}{first.name:<{NAME_WIDTH}}{line}".rstrip())
    held = len(outcomes) - len(failed(outcomes))
    print(f"{held} of {len(outcomes)} held back")
    if len(usable) > 1:
        print("what the host's own code stops, whatever the sandbox, was played in the first alone")


def _verdict(outcome: AttackOutcome | None) -> str:
    if outcome is None:
        return "-"
    return outcome.observed if outcome.passed else f"FAILED: {outcome.observed}"
