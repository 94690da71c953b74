"""Builds the repository-quality domain from its generator and its seed policy."""

from importlib import resources

from domains.base import DomainDataError
from domains.repo_quality.rows import FEATURES, generate
from domains.table import TableDomain

DEFAULT_ROWS_SEED = 1


def repo_quality(rows_seed: int = DEFAULT_ROWS_SEED) -> TableDomain:
    """Make the domain; equal generator seeds give equal rows everywhere.

    Raises:
        DomainDataError: The generator seed is negative.
    """
    if rows_seed < 0:
        raise DomainDataError(f"repo_quality: rows_seed is {rows_seed}; it must be 0 or more")
    seed = resources.files("domains.repo_quality") / "seed_task_agent.py"
    return TableDomain(
        "repo_quality",
        generate(rows_seed),
        smoke_inputs={"name": "sample-project", **dict.fromkeys(FEATURES, 0.5)},
        calls_model=False,
        seed_files={"task_agent.py": seed.read_bytes()},
    )
