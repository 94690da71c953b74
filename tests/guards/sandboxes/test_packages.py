"""Packages of the host in a sandbox: what comes along, and what is said where one is missing."""

import json
from collections.abc import Mapping
from pathlib import Path

import anyio
import pytest

from guards.sandboxes.bubblewrap.bubblewrap import probe
from guards.sandboxes.bubblewrap.confinement import PACKAGES
from guards.sandboxes.choose import choose
from guards.sandboxes.packages import check_packages, package_binds, require_packages
from guards.sandboxes.process import ProcessSandbox
from guards.sandboxes.sandbox import Job, Sandbox, SandboxUnavailable
from tests.support.sandboxes import LIMITS, look_inside

NAMED = "packaging"  # small, and there wherever pytest is
LOOK = """
import json, os, sys
import packaging.version
print(json.dumps([packaging.__file__, sorted(os.listdir(os.environ["PYTHONPATH"]))]))
"""


def why_none() -> str:
    if (why := probe()) is not None:
        return why
    try:
        require_packages("bubblewrap", [NAMED])
    except SandboxUnavailable as error:  # a checkout in a home folder that is closed to others
        return str(error)
    return ""


needs_packages = pytest.mark.skipif(bool(why_none()), reason=why_none())


def written(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def requires(name: str, *others: str) -> str:
    head = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n"
    return head + "".join(f"Requires-Dist: {other}\n" for other in others)


async def _said(sandbox: Sandbox, code: str, packages: tuple[str, ...]) -> str:
    job = Job("score", {"look.py": code.encode()}, limits=LIMITS, packages=packages)
    reply = await look_inside(sandbox, job)
    return str(reply["stdout"] or reply["error"])


@needs_packages
def test_code_inside_imports_a_package_and_sees_no_other() -> None:
    sandbox = choose("bubblewrap", needs_boundary=True).sandbox
    said = anyio.run(_said, sandbox, LOOK, (NAMED,))
    where, there = json.loads(said)
    assert where == f"{PACKAGES}/{NAMED}/__init__.py"
    assert {name.partition("-")[0] for name in there} == {NAMED}
    assert "status 1" in anyio.run(_said, sandbox, LOOK, ()), "without it, nothing is there"


def test_what_a_package_imports_and_requires_comes_along(tmp_path: Path) -> None:
    folder = written(
        tmp_path,
        {
            "wanted/__init__.py": "import beside\n",
            "wanted-1.dist-info/METADATA": requires("wanted", "Later_On>=1", 'no; extra == "x"'),
            "wanted-1.dist-info/RECORD": "wanted/__init__.py,,\nwanted.libs/x.so,,\n",
            "wanted.libs/x.so": "",
            "beside.py": "",
            "later/__init__.py": "",
            "later_on-1.dist-info/METADATA": requires("later-on"),
            "later_on-1.dist-info/RECORD": "later/__init__.py,,\n",
            "no/__init__.py": "",
            "secret.py": "",
        },
    )
    binds = package_binds(["wanted"], [folder])
    expected = ("beside.py", "later", "wanted", "wanted.libs")
    assert binds == {f"{PACKAGES}/{name}": str(folder / name) for name in expected}


def test_all_packages_come_from_one_folder(tmp_path: Path) -> None:
    half = written(tmp_path / "half", {"one.py": ""})
    whole = written(tmp_path / "whole", {"one.py": "", "two.py": ""})
    binds = package_binds(["two", "one"], [half, whole])
    assert set(binds.values()) == {str(whole / "one.py"), str(whole / "two.py")}


def test_a_missing_package_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match=r"python3-torch.*several GB.*looked in"):
        package_binds(["torch"], [tmp_path])
    with pytest.raises(SandboxUnavailable, match="`pip install nosuch`"):
        package_binds(["nosuch"], [tmp_path])
    written(tmp_path, {"broken.py": "import nosuch\n"})
    with pytest.raises(SandboxUnavailable, match=r"cannot import it.*nosuch"):
        package_binds(["broken"], [tmp_path])


def test_other_sandboxes_refuse_packages() -> None:
    with pytest.raises(SandboxUnavailable, match="standard library alone, and not torch"):
        require_packages("docker", ["torch"])
    require_packages("docker", [])
    with pytest.raises(SandboxUnavailable, match="use bubblewrap"):
        anyio.run(_said, ProcessSandbox(), LOOK, (NAMED,))


@pytest.mark.parametrize(
    ("name", "why"), [("os", "part of Python"), ("../x", "no name"), ("a.b", "no name")]
)
def test_names_that_are_none_of_packages(name: str, why: str) -> None:
    assert why in check_packages([name])
    assert check_packages(["torch", "numpy"]) == ""
