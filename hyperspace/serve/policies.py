"""Which policy answers for which model name (`--brain`).

Without `--brain`, names that providers use are answered, too: see `DEFAULTS`.
"""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from hyperspace.models.base import UnknownModel
from hyperspace.offline import registry
from hyperspace.offline.planned import OfflinePolicy
from hyperspace.offline.policies.scripted import ScriptedPolicy

_PATTERN_SIGNS: Final = frozenset("*?[")
DEFAULTS: Final[Mapping[str, str]] = {
    "claude-*": "tinker",
    "gpt-*": "tinker",
    "o[1-9]*": "tinker",
    "accounts/fireworks/*": "magpie",
}
EXAMPLES: Final = ("claude-sonnet-4-6", "gpt-5.2", "accounts/fireworks/routers/kimi-k2p5-turbo")


class ServedPolicies:
    """Finds the policy behind a model name: an alias, a policy by its own name, or a default."""

    def __init__(self, aliases: Mapping[str, OfflinePolicy] | None = None) -> None:
        """Give policies further names.

        Args:
            aliases: Name, or shell pattern of names, to policy; the first that fits counts.
        """
        self._aliases = dict(aliases or {})
        self._defaults = {pattern: registry.named(policy) for pattern, policy in DEFAULTS.items()}

    @classmethod
    def from_specs(cls, specs: Iterable[str]) -> "ServedPolicies":
        """Read `NAME=[offline/]POLICY[?key=value]` and `NAME=SCRIPT.json`.

        Raises:
            UnknownModel: A part is malformed, or there is no such policy, option or script.
        """
        return cls(dict(map(_alias, specs)))

    def names(self) -> list[str]:
        """Every name that a policy answers for; of patterns, examples."""
        aliases = [name for name in self._aliases if not _PATTERN_SIGNS & set(name)]
        return list(dict.fromkeys([*aliases, *registry.names(), *EXAMPLES]))

    def find(self, name: str) -> OfflinePolicy:
        """Find the policy that answers for a name.

        Raises:
            UnknownModel: No policy answers for that name; says which there are.
        """
        policy = _matching(self._aliases, name)
        if policy is not None:
            return policy
        try:
            return registry.named(name)
        except UnknownModel as error:
            policy = _matching(self._defaults, name)
            if policy is not None:
                return policy
            served = ", ".join(dict.fromkeys([*self._aliases, *self.names(), *DEFAULTS]))
            why = f"no model {name!r} is served here; try {served} ({error})"
            raise UnknownModel(why) from None


def _matching(policies: Mapping[str, OfflinePolicy], name: str) -> OfflinePolicy | None:
    if name in policies:
        return policies[name]
    return next(
        (policy for pattern, policy in policies.items() if fnmatchcase(name, pattern)), None
    )


def _alias(spec: str) -> tuple[str, OfflinePolicy]:
    name, equals, brain = spec.partition("=")
    if not (name and equals and brain):
        raise UnknownModel(f"brain {spec!r} is malformed; write NAME=POLICY or NAME=SCRIPT.json")
    if brain.endswith(".json"):
        return name, ScriptedPolicy.from_file(Path(brain))
    return name, registry.named(brain)
