"""Builds the repository-quality domain from its generator and its seed policy."""

from collections.abc import Mapping
from pathlib import Path

from hyperspace.tasks.options import RowsOptions, read_options, refuse_data
from hyperspace.tasks.package_files import seed_files
from hyperspace.tasks.repository_rows import FEATURES, generate
from hyperspace.tasks.table import TableDomain

DEFAULT_ROWS_SEED = 1
_DESCRIPTION = """# Is this repository good enough?

`forward(inputs)` gets the name of a repository and five figures from 0 to 1 (`maintainability`,
`security`, `test_coverage`, `documentation`, `simplicity`) and answers `accept` or `reject`. The
score of a split is the share of right answers. The rule behind the answers depends on the figures
alone, not on the name. No model is needed.
"""


def make(data: Path | None, options: Mapping[str, str]) -> TableDomain:
    """Make the domain; equal options give equal rows everywhere.

    Raises:
        DomainDataError: An option is unknown, its value does not fit, or there is a folder.
    """
    refuse_data("repo_quality", data)
    return repo_quality(read_options("repo_quality", options, RowsOptions).rows_seed)


def repo_quality(rows_seed: int = DEFAULT_ROWS_SEED) -> TableDomain:
    """Make the domain from the seed of its rows, 0 or more."""
    return TableDomain(
        "repo_quality",
        generate(rows_seed),
        smoke_inputs={"name": "sample-project", **dict.fromkeys(FEATURES, 0.5)},
        calls_model=False,
        seed_files=seed_files("repo_quality"),
        description=_DESCRIPTION,
    )
