"""Brains: which policy answers for which model name."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from agents.models.base import UnknownModel
from agents.models.names import parse_options
from agents.offline import registry
from agents.offline.base import Policy
from agents.offline.scripted import ScriptedPolicy


class Brains:
    """Finds the policy behind a model name: an alias, or a policy by its own name."""

    def __init__(self, aliases: Mapping[str, Policy] | None = None) -> None:
        self._aliases = dict(aliases or {})

    @classmethod
    def from_specs(cls, specs: Iterable[str]) -> "Brains":
        """Read `NAME=POLICY[?key=value]` and `NAME=SCRIPT.json`.

        Raises:
            UnknownModel: A part is malformed, or there is no such policy, option or script.
        """
        return cls(dict(map(_alias, specs)))

    def names(self) -> list[str]:
        """Every name that has a brain."""
        return [*self._aliases, *(name for name in registry.names() if name not in self._aliases)]

    def find(self, name: str) -> Policy:
        """Find the policy that answers for a name.

        Raises:
            UnknownModel: No brain goes by that name; says which there are.
        """
        if name in self._aliases:
            return self._aliases[name]
        try:
            return _policy(name)
        except UnknownModel as error:
            served = ", ".join(self.names())
            raise UnknownModel(
                f"no model {name!r} is served here ({error}); try {served}"
            ) from None


def _alias(spec: str) -> tuple[str, Policy]:
    name, equals, brain = spec.partition("=")
    if not (name and equals and brain):
        raise UnknownModel(f"brain {spec!r} is malformed; write NAME=POLICY or NAME=SCRIPT.json")
    if brain.endswith(".json"):
        return name, ScriptedPolicy.from_file(Path(brain))
    return name, _policy(brain)


def _policy(text: str) -> Policy:
    policy, _, options = text.partition("?")
    return registry.get(policy, parse_options(options, text))
