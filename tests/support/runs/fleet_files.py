"""Files that say what a fleet is, as `hyperspace fleet --config` reads them."""

from pathlib import Path
from typing import Final

THREE: Final = (
    'model = "offline/tinker"',
    'model = "offline/magpie"',
    'model = "offline/tinker"\nname = "third"',
)


def fleet_file(
    path: Path, head: str, *agents: str, name: str = "three", domain: str = "repo_quality"
) -> Path:
    """Write a fleet's file; returns its path.

    Args:
        path: The file.
        head: Lines beside the name and the domain.
        agents: Lines of each agent.
        name: Of the fleet.
        domain: Its task.
    """
    seats = "".join(f"[[agents]]\n{terms}\n" for terms in agents)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'name = "{name}"\ndomain = "{domain}"\n{head}\n{seats}')
    return path
