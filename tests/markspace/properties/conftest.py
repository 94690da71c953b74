"""What the properties share."""

import pytest

from markspace.stores.base import Store
from tests.support.markspace_house import House


@pytest.fixture
def house(store: Store) -> House:
    """A space, its guard and its agents, on each store."""
    return House(store)
