"""Files that lie beside a domain's module: its README, its public scorer, its seed agent."""

from importlib import resources


def task_files(domain: str) -> dict[str, bytes]:
    """Return `README.md`, and `score.py` where there is one, of the folder of a domain."""
    folder = resources.files("domains") / domain
    paths = {name: folder / name for name in ("README.md", "score.py")}
    return {name: path.read_bytes() for name, path in paths.items() if path.is_file()}


def seed_files(domain: str) -> dict[str, bytes]:
    """Return the seed's `task_agent.py`, which is `seed_task_agent.py` in the folder."""
    seed = resources.files("domains") / domain / "seed_task_agent.py"
    return {"task_agent.py": seed.read_bytes()}
