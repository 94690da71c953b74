"""What a run of ours was asked for beside its arm: runs that differ in it are not alike."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

import msgspec

from hyperspace.runs.files import inner

# What None stands for in a configuration.
_DEFAULTS: Final = {
    "models": "",
    "eval_model": "the agent's own",
    "data_sha256": "",
    "eval_samples": "all",
    "generations": "",
    "initial_sha256": "the seed agent",
    "fallback": "",
}
_NESTED: Final = ("visible", "policies")
_SOLO: Final = ("staged", "eval_test", "optimise", "ensemble_size")  # how any arm is judged
_FLEET: Final = ("members", "schedule", "migrate_every", "measure")


def conditions_of(
    configuration: dict[str, Any], weights: Mapping[str, Sequence[str]] | None = None
) -> dict[str, str]:
    """Return each condition by its place in the configuration; what is not on record is left out.

    Args:
        configuration: That of `run_config.json`; an empty one has no conditions.
        weights: What servers near the run said that they run, by model.
    """
    conditions = {name: _text(value) for name, value in _conditions(configuration)}
    served = {f"weights.{model}": ", then ".join(each) for model, each in (weights or {}).items()}
    return conditions | served


def _conditions(configuration: dict[str, Any]) -> Iterator[tuple[str, object]]:
    for name, default in _DEFAULTS.items():
        value = configuration.get(name)
        if name == "eval_model" and _is_own(configuration):
            value = None
        if name == "data_sha256" and "rows_seed=run" in str(configuration.get("domain")):
            value = configuration["domain"]  # other rows for each seed, the same for all its arms
        if value is not None or (default and name in configuration):
            yield name, default if value is None else value
    if configuration:  # a record that says nothing of it means one pass
        yield "eval_repeats", configuration.get("eval_repeats", 1)
    for name in _NESTED:
        yield from (
            (f"{name}.{key}", value) for key, value in sorted(inner(configuration, name).items())
        )
    for group, names in (("solo", _SOLO), ("fleet", _FLEET)):
        fields = sorted(inner(configuration, group).items())
        yield from ((f"{group}.{name}", value) for name, value in fields if name in names)


def _is_own(configuration: dict[str, Any]) -> bool:
    """Return whether the model of task agents is named, and is that of every agent anyway."""
    models = configuration.get("models")
    return isinstance(models, list) and all(
        model == configuration.get("eval_model") for model in cast("list[object]", models)
    )


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    try:
        return ", ".join(msgspec.convert(value, list[str]))
    except msgspec.ValidationError:
        return msgspec.json.encode(value, order="sorted").decode()
