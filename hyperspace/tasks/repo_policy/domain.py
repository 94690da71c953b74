"""Builds the repository-policy domain: the rows of repository quality, and a record as its seed."""

from hyperspace.tasks.options import RowsOptions, generated
from hyperspace.tasks.package_files import seed_files, task_files
from hyperspace.tasks.repository_rows import FEATURES, generate
from hyperspace.tasks.table import TableDomain


@generated("repo_policy", RowsOptions)
def make(chosen: RowsOptions) -> TableDomain:
    """Make the domain."""
    return TableDomain(
        "repo_policy",
        generate(chosen.rows_seed),
        smoke_inputs={"name": "sample-project", **dict.fromkeys(FEATURES, 0.5)},
        calls_model=False,
        seed_files=seed_files("repo_policy"),
        task_files=task_files("repo_policy"),
    )
