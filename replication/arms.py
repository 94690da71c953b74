"""The arms of the solo loop by name: what each does differently, and its controls."""

from typing import Any, Final, Literal

import msgspec

from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.selection.named import DEFAULT, selection
from hyperspace.options.solo import Annealing, SoloTerms
from hyperspace.workspace.seed_agent import PUBLISHED, read_seed_agent

Control = Literal["best_of_n", "aa"]
CONTROLS: Final[tuple[Control, ...]] = ("best_of_n", "aa")

FULL: Final = "arm_a_full"
_NO_ARCHIVE: Final[dict[str, Any]] = {"selection": "latest", "history": "parent"}
_DGM: Final[dict[str, Any]] = {"selection": "dgm", "history": "parent", "diagnosis": "agent"}
_DGM_CUSTOM: Final = _DGM | {"diagnosis": "task_agent"}
_ARMS: Final[dict[str, dict[str, Any]]] = {
    FULL: {},
    "arm_b_freeze": {"frozen_meta": True},
    "arm_c_random": {"selection": "random"},
    "arm_d_annealing": {"annealing": Annealing()},
    "no_archive": _NO_ARCHIVE,
    "no_archive_freeze": {**_NO_ARCHIVE, "frozen_meta": True},
    "dgm": _DGM,
    "dgm_freeze": {**_DGM, "frozen_meta": True},
    "dgm_custom": _DGM_CUSTOM,
    "dgm_custom_freeze": {**_DGM_CUSTOM, "frozen_meta": True},
}
_SHORT: Final = {
    "a": FULL,
    "b": "arm_b_freeze",
    "c": "arm_c_random",
    "d": "arm_d_annealing",
}
ARMS: Final = (*_SHORT, *_ARMS, *CONTROLS)
_OPTIONS: Final = {
    "selection": "--selection",
    "frozen_meta": "--freeze-meta",
    "annealing": "--annealing",
}


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """What a command line changes about an arm; None leaves it as the arm has it.

    Attributes:
        selection: Rule of selection.
        frozen_meta: Whether to freeze the meta agent.
        annealing: When to hold tournaments.
    """

    selection: str | None = None
    frozen_meta: bool | None = None
    annealing: Annealing | None = None


def solo_terms(
    experiment: str,
    arm: str = "a",
    changes: Changes | None = None,
    seed_agent: str = PUBLISHED,
    control: Control | None = None,
) -> SoloTerms:
    """The terms of an arm.

    An arm that is changed into another one is that one: A with a frozen meta agent is B.

    Args:
        experiment: Label of the results folder.
        arm: A name of `ARMS`; a control's name means that control of arm A.
        changes: What is asked for beside it.
        seed_agent: The meta agent to start with.
        control: Play this control of the arm in its place.

    Raises:
        RunUsageError: There is no such arm or rule, a value is out of its range, or what is asked
            for beside the arm contradicts it or would do nothing.
    """
    changes = changes or Changes()
    _check_fit(arm, changes, control)
    if arm in CONTROLS:
        arm, control = FULL, arm
    try:
        base = SoloTerms(experiment=experiment, arm=FULL, seed_agent=seed_agent)
        terms = msgspec.structs.replace(base, **(_ARMS[_folder(arm)] | _given(changes)))
        # Named after what they do: a known arm's folder, or one made of the differences.
        own_name = "_".join(["arm", *_differences(terms)])
        folder = next((name for name, differs in _ARMS.items() if _is(terms, differs)), own_name)
        terms = msgspec.structs.replace(terms, arm=folder + _seed_suffix(terms))
    except ValueError as error:
        raise RunUsageError(str(error)) from error
    selection(terms.selection)
    return terms if control is None else control_of(terms, control)


def control_of(terms: SoloTerms, control: Control) -> SoloTerms:
    """The terms of a control of an arm; `replication.best_of_n.beside` gives it its length.

    Args:
        terms: The arm's.
        control: `aa` is the arm itself on another stream of random numbers; `best_of_n` draws
            every candidate anew from generation 0, which nothing is built upon. Arms with one
            candidate a generation share a `best_of_n`; one with tournaments has more candidates,
            and so another.
    """
    if control == "aa":
        return msgspec.structs.replace(terms, arm=f"{terms.arm}_aa", stream="aa")
    best_of_n = SoloTerms(
        experiment=terms.experiment,
        arm=control,
        selection="initial",
        history="parent",
        seed_agent=terms.seed_agent,
    )
    candidates = "" if terms.annealing is None else "_annealing"
    return msgspec.structs.replace(best_of_n, arm=control + candidates + _seed_suffix(terms))


def _check_fit(arm: str, changes: Changes, control: Control | None) -> None:
    """Refuse what the arm would silently leave out."""
    if arm in CONTROLS and control is not None:
        raise RunUsageError(
            f"--arm {arm} is a control itself; name the arm that --control {control} is of"
        )
    if arm == "best_of_n" and (options := [_OPTIONS[name] for name in _given(changes)]):
        raise RunUsageError(
            f"best_of_n draws every candidate anew from generation 0, so {', '.join(options)} "
            "would do nothing; leave it out, or name another arm"
        )
    differs = {} if arm in CONTROLS else _ARMS[_folder(arm)]
    own = differs.get("selection")
    if len(differs) == 1 and own and changes.selection not in (None, own):
        raise RunUsageError(
            f"arm {arm} is selection {own}, and --selection says {changes.selection}; "
            "leave one of them out"
        )


def _folder(arm: str) -> str:
    folder = _SHORT.get(arm, arm)
    if folder not in _ARMS:
        raise RunUsageError(f"no arm is called {arm!r}; there are {', '.join(ARMS)}")
    return folder


def _given(changes: Changes) -> dict[str, Any]:
    fields = msgspec.structs.asdict(changes)
    return {name: value for name, value in fields.items() if value is not None}


def _is(terms: SoloTerms, differs: dict[str, Any]) -> bool:
    plain = SoloTerms(
        experiment=terms.experiment, arm=terms.arm, seed_agent=terms.seed_agent, **differs
    )
    if plain.annealing is not None and terms.annealing is not None:
        plain = msgspec.structs.replace(plain, annealing=terms.annealing)  # same arm, other p0
    return plain == terms


def _differences(terms: SoloTerms) -> list[str]:
    parts = ["freeze"] if terms.frozen_meta else []
    if terms.selection != DEFAULT:
        parts.append(terms.selection.replace(":", "-"))
    if terms.annealing is not None:
        parts.append("annealing")
    if terms.diagnosis:
        parts.append("dgm_custom" if terms.diagnosis == "task_agent" else "dgm")
    elif terms.history == "parent":
        parts.append("no_archive")
    return parts


def _seed_suffix(terms: SoloTerms) -> str:
    agent = read_seed_agent(terms.seed_agent)
    return "" if agent.name == PUBLISHED else f"_{agent.slug}"
