"""Which models a page may let a run ask."""

import os
import re
from typing import Final

from hyperspace.dashboard.errors import NotDone
from hyperspace.models.base import UnknownModel
from hyperspace.models.names import OFFLINE
from hyperspace.models.providers import find_provider
from hyperspace.offline import registry
from hyperspace.runs.spaces.listing import printable

_MODEL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]*(\?[A-Za-z0-9_.=&,-]*)?")
_LONGEST: Final = 200


def require_allowed(model: str, *, is_limited: bool, to_start: bool = True) -> None:
    """Check that a page may let a run ask a model.

    Args:
        model: As people write it.
        is_limited: Whether the run has a limit on money.
        to_start: Whether the run is started; a forecast needs no key and no limit.

    Raises:
        NotDone: It may not; says why.
    """
    if len(model) > _LONGEST or not _MODEL.fullmatch(model):
        raise NotDone(
            f"the model '{printable(model, _LONGEST)}' is not for pages, which take offline models "
            "and names of providers, no addresses and no recorded agents"
        )
    if model.startswith(OFFLINE):
        _require_policy(model)
        return
    match = find_provider(model.partition("?")[0])
    if match is None:
        raise NotDone(f"no model is called {model}; hyperspace models lists them")
    if not to_start:
        return
    provider, _ = match
    # The environment alone: what lies in a folder was not said by who started the dashboard.
    if provider.key_needed and not provider.key_variable(os.environ):
        raise NotDone(
            f"{model} needs a key; set {' or '.join(provider.key_variables)} in the environment "
            "that the dashboard is started in"
        )
    if not is_limited:
        raise NotDone(f"{model} may cost money; fill in a limit in US dollars")


def _require_policy(model: str) -> None:
    try:
        registry.named(model)
    except UnknownModel as error:
        raise NotDone(str(error)) from error
