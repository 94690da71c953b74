"""Builds the repository-quality domain from its generator and its seed policy."""

from hyperspace.tasks.options import RowsOptions, generated
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


make = generated("repo_quality", RowsOptions)(lambda options: repo_quality(options.rows_seed))
