"""Every test that asks for `store` runs on each store that this machine has."""

from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from markspace.stores.base import Store
from markspace.stores.memory import MemoryStore
from markspace.stores.sqlite import SQLiteStore

MakeStore = Callable[[], Store]


@pytest.fixture(params=["memory", "sqlite"])
def make_store(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[MakeStore]:
    """A maker of fresh stores, all closed at the end."""
    made: list[Store] = []

    def make() -> Store:
        new: Store = MemoryStore()
        if request.param == "sqlite":
            new = SQLiteStore(tmp_path / f"space{len(made)}.db")
        made.append(new)
        return new

    yield make
    for store in made:
        store.close()


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    """One fresh store."""
    return make_store()
