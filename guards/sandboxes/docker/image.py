"""The image of the Docker sandbox: one recipe, and a label that tells which recipe made it."""

import hashlib
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from guards.sandboxes.docker.daemon import Client, asking, is_gone
from guards.sandboxes.sandbox import SandboxFailed, SandboxUnavailable

IMAGE = "hyperspace-sandbox:latest"
LABEL = "hyperspace.recipe"
RECIPE = Path(__file__).parents[3] / "devcontainer" / "sandbox"
FILES = ("Dockerfile", "rootfs")
BUILD = "build it with `hyperspace doctor --build-image`"
_FOR_ALL = 0o022  # what the image holds is read by the sandbox's own user
BUILD_S = 900.0  # a slow mirror


@cache
def recipe_digest() -> str:
    """SHA-256 of the recipe.

    Raises:
        SandboxUnavailable: It is not here.
    """
    try:
        parts = [(RECIPE / name).read_bytes() for name in FILES]
    except OSError as error:
        raise SandboxUnavailable(
            f"the recipe of the sandbox image is not at {RECIPE}; run from a checkout"
        ) from error
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def require_image(client: Client, image: str = IMAGE) -> None:
    """Check that the image is there and was made by the recipe that is here.

    Args:
        client: Of the daemon to ask.
        image: Its name and tag.

    Raises:
        SandboxUnavailable: It is missing or stale; says how to build it.
    """
    wanted = recipe_digest()
    try:
        with asking("look for the sandbox image"):
            labels: Mapping[str, str] | None = client.inspect_image(image)["Config"].get("Labels")
    except SandboxFailed as error:
        if not is_gone(error):
            raise
        raise SandboxUnavailable(f"there is no image {image}; {BUILD}") from error
    if not labels or labels.get(LABEL) != wanted:
        raise SandboxUnavailable(f"the image {image} was made by another recipe; {BUILD}")


def build_image(client: Client) -> str:
    """Build the image and remove the one that it replaces.

    Returns:
        The image's id.

    Raises:
        SandboxUnavailable: What the recipe needs is not here.
        SandboxFailed: A step failed; says which.
    """
    with tempfile.TemporaryDirectory(prefix="hyperspace-image-") as folder:
        context = Path(folder, "context.tar")
        _make_context(Path(folder, "rootfs.tar"), context)
        labels = {LABEL: recipe_digest()}
        with context.open("rb") as file, asking("build the sandbox image"):
            steps: Iterable[Mapping[str, Any]] = client.build(
                fileobj=file,
                custom_context=True,
                tag=IMAGE,
                labels=labels,
                rm=True,
                decode=True,
                network_mode="none",
            )
            failed = [str(step["error"]) for step in steps if "error" in step]
        if failed:
            raise SandboxFailed(f"Docker could not build the sandbox image: {failed[0]}")
    with asking("remove the old sandbox image"):
        for image in client.images(filters={"label": LABEL, "dangling": True}):
            client.remove_image(image["Id"], force=True)
        return str(client.inspect_image(IMAGE)["Id"])


def _make_context(root: Path, context: Path) -> None:
    if shutil.which("mmdebstrap") is None:
        raise SandboxUnavailable(
            "the image is made with mmdebstrap, which is not installed: apt-get install mmdebstrap"
        )
    command = [str(RECIPE / "rootfs"), str(root)]
    done = subprocess.run(
        command,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=BUILD_S,
        check=False,
        umask=_FOR_ALL,
    )
    if done.returncode != 0:
        # apt and mmdebstrap mark errors; what broke first comes first.
        lines = done.stderr.splitlines()
        marked = [line for line in lines if line.startswith(("E:", "Err:"))]
        why = " ".join((marked or lines[-1:] or ["it said nothing"])[0].split())
        raise SandboxFailed(
            f"the sandbox's root file system could not be made: {why}; DEBIAN_MIRROR may name "
            "another mirror"
        )
    with tarfile.open(context, "w") as archive:
        archive.add(RECIPE / "Dockerfile", "Dockerfile")
        archive.add(root, root.name)
    root.unlink()
