"""Files that lie beside a domain's module: its README, its public scorer, its seed agent."""

import re
from importlib import resources

_IMPORT = re.compile(r"^from hyperspace\.tasks\.strict_json import .*\n", re.MULTILINE)


def task_files(domain: str) -> dict[str, bytes]:
    """Return `README.md`, and `score.py` where there is one, of the folder of a domain.

    A scorer that imports `hyperspace.tasks.strict_json` gets its text in place of the import:
    inside there is the standard library alone.
    """
    folder = resources.files("hyperspace.tasks") / domain
    paths = {name: folder / name for name in ("README.md", "score.py")}
    files = {name: path.read_bytes() for name, path in paths.items() if path.is_file()}
    if "score.py" in files:
        files["score.py"] = _inlined(files["score.py"].decode()).encode()
    return files


def seed_files(domain: str) -> dict[str, bytes]:
    """Return the seed's `task_agent.py`, which is `seed_task_agent.py` in the folder."""
    seed = resources.files("hyperspace.tasks") / domain / "seed_task_agent.py"
    return {"task_agent.py": seed.read_bytes()}


def _inlined(scorer: str) -> str:
    match = _IMPORT.search(scorer)
    if match is None:
        return scorer
    module = (resources.files("hyperspace.tasks") / "strict_json.py").read_text("utf-8")
    return scorer[: match.start()] + module + scorer[match.end() :]
