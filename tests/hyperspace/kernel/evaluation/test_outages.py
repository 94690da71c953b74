import pytest

from hyperspace.kernel.errors import RunPaused
from hyperspace.kernel.evaluation.outages import raise_outage
from hyperspace.models.base import AuthFailed, ModelError, ProviderDown, UnknownModel


@pytest.mark.parametrize(
    ("outage", "when"),
    [
        (ProviderDown("it failed"), "when it is back"),
        (UnknownModel("the name is not there"), "when that is mended"),
        (AuthFailed("the key was refused"), "when that is mended"),
    ],
)
def test_a_pause_says_what_to_wait_for(outage: ModelError, when: str) -> None:
    with pytest.raises(RunPaused, match=f"{outage}; nothing is lost, .* {when}$"):
        raise_outage(outage)
