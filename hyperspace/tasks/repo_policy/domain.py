"""Builds the repository-policy domain: the rows of repository quality, and a record as its seed."""

from collections.abc import Mapping
from pathlib import Path

from hyperspace.tasks.options import RowsOptions, read_options, refuse_data
from hyperspace.tasks.package_files import seed_files, task_files
from hyperspace.tasks.repository_rows import FEATURES, generate
from hyperspace.tasks.table import TableDomain


def make(data: Path | None, options: Mapping[str, str]) -> TableDomain:
    """Make the domain; equal options give equal rows everywhere.

    Raises:
        DomainDataError: An option is unknown, its value does not fit, or there is a folder.
    """
    refuse_data("repo_policy", data)
    chosen = read_options("repo_policy", options, RowsOptions)
    return TableDomain(
        "repo_policy",
        generate(chosen.rows_seed),
        smoke_inputs={"name": "sample-project", **dict.fromkeys(FEATURES, 0.5)},
        calls_model=False,
        seed_files=seed_files("repo_policy"),
        task_files=task_files("repo_policy"),
    )
