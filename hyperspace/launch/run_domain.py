"""The task of a run that is there, made again from its record."""

import os
from pathlib import Path

from guards.scope.changes import printable
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.evaluation.sampling import sampled
from hyperspace.kernel.state.config import RunRecord
from hyperspace.launch.kept_task import NamedTask, kept_spec, task_of
from hyperspace.tasks.base import Domain, DomainDataError
from hyperspace.tasks.registry import load
from hyperspace.tasks.three_files.domain import brings_code


def load_again(spec: str, data: Path | None, run_seed: int) -> Domain:
    """Load the domain of a run that is there, as `hyperspace.tasks.registry.load` does.

    Raises:
        DomainError: It cannot be loaded.
        RunUsageError: Nor is its data folder there any more.
    """
    try:
        return load(spec, data=data, run_seed=run_seed)
    except DomainDataError as error:
        if data is None or os.path.exists(data):  # noqa: PTH110  Path.exists raises for some
            raise
        raise RunUsageError(
            f"{printable(str(error))}; if the data have moved, name their folder with --data"
        ) from error


def domain_of(
    record: RunRecord,
    deed: str,
    name: str | None = None,
    data: Path | None = None,
    run: Path | None = None,
) -> Domain:
    """Load the domain of a record, with the very data that the run was made with.

    Args:
        record: The run's.
        deed: What is done with it ("a replay"), for messages.
        name: The domain as a person names it now; needed where it is code in a file.
        data: Folder of its data; None for the recorded one.
        run: The run's folder, whose kept task is taken where this user began it and the task is
            not there any more; None to take none.

    Raises:
        DomainError: It cannot be loaded.
        RunUsageError: It is code in a file and not named now, is another one, has other data, or
            its data are not where they were.
    """
    config = record.configuration
    if ".py:" in config.domain and name is None:
        named = config.domain if run is None else kept_spec(run, config.domain)
        raise RunUsageError(
            f"the run's domain is code in a file, {printable(config.domain)}, and {deed} runs it "
            f"on this machine; if you trust it, add --domain {printable(named)}"
        )
    if name not in (None, config.domain) and ".py:" not in config.domain:
        raise RunUsageError(
            f"the run's domain is {config.domain}, and --domain says {name}; {deed} "
            "plays the run's own, so leave --domain out"
        )
    folder = data or (None if record.data is None else Path(record.data))
    task = NamedTask(name or config.domain, folder)
    if run is not None:
        task = task_of(run, task)
    domain = load_again(task.spec, task.data, config.seed)
    if domain.data_sha256 != config.data_sha256:
        raise RunUsageError(_other_data(record, domain, folder))
    return sampled(domain, config.eval_samples)


def _other_data(record: RunRecord, domain: Domain, folder: Path | None) -> str:
    name, made_with = record.configuration.domain, record.configuration.data_sha256
    both = f"SHA-256 {domain.data_sha256} here, and the run was made with {made_with}"
    if folder is not None:
        return f"the data of {name} has {both}; name the folder that holds that data with --data"
    if ".py:" in name or brings_code(domain):
        return f"{name} has changed: its data has {both}; put its files back as they were"
    versions = (record.versions.get(part, "unknown") for part in ("hyperspace", "commit"))
    made_by = printable(", commit ".join(versions))
    return (
        f"{name} makes its data itself, with {both}; that was version {made_by}, "
        "which is what to use for this run"
    )
