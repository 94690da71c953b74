"""env.toml: what it may say, and what is said of it where it may not."""

from pathlib import Path

import pytest

from research.environments.description import read_description
from research.environments.registry import find_environment, names
from research.environments.repository import read_environment
from research.errors import DiffRefused, EnvironmentUnusable
from research.jobs.candidate import apply_diff
from tests.research.environments import CONFIG, replaced, small, write_small


def test_what_comes_along_can_be_used() -> None:
    assert "fit_line" in names()
    for name in names():
        environment = find_environment(name)
        assert environment.name == name
        assert any(map(environment.is_shown, environment.texts()))
        both = set(environment.sealed) & set(environment.files)
        assert all(environment.scope.refusal(path) for path in both), "what is common is frozen"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('name = "small"', 'name = "Two words"', "name"),
        ('name = "small"', "", "missing required field `name`"),
        ('metric = "score"', 'metrics = "score"', "unknown field `metrics`"),
        ("cpu_s = 2", "cpu_s = 0", "cpu_s"),
        ("cpu_s = 2", "cpu_s = true", "cpu_s"),
        ('"out.json"', '"../out.json"', "no plain relative path"),
        ('format = "json"', 'format = "pickle"', "format"),
        ("max_mb = 0.001", "max_mb = 50", "raise it or lower max_mb"),
        ('path = "sealed"', 'path = "missing"', "not a directory"),
        ('path = "sealed"', 'path = "."', "every job would see the evaluation"),
        ('command = ["python", "main.py"]', "command = []", "command"),
        ("[job]", "[job", "is not TOML"),
        ('name = "small"', 'name = "small"\nreference = nan', "no score"),
        ("[job]", '[job]\npackages = ["os"]', "packages: os is part of Python"),
        ("[evaluation]", '[evaluation]\npackages = ["a-b"]', "packages: 'a-b' is no name"),
    ],
)
def test_what_does_not_fit_is_named(old: str, new: str, told: str, tmp_path: Path) -> None:
    assert old in CONFIG
    folder = write_small(tmp_path, {"env.toml": CONFIG.replace(old, new, 1)})
    with pytest.raises(EnvironmentUnusable, match=told):
        read_description(folder)


def test_a_folder_without_a_description_says_where_one_is(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentUnusable, match=r"env\.toml is missing"):
        read_description(tmp_path)
    with pytest.raises(EnvironmentUnusable, match="does not exist"):
        read_description(tmp_path / "nowhere")
    with pytest.raises(EnvironmentUnusable, match=r"those that come along: .*fit_line"):
        find_environment("fit_lime")


def test_a_description_may_lie_beside_somebody_elses_repository(tmp_path: Path) -> None:
    folder = write_small(tmp_path)
    description = read_description(folder / "repo", folder / "env.toml")
    assert read_environment(description).files.keys() == {"main.py", "rules.py"}


def test_the_evaluation_is_never_in_the_repository_wherever_it_lies(tmp_path: Path) -> None:
    text = CONFIG.replace('path = "repo"', 'path = "."')
    files = {"env.toml": text, "main.py": "", ".git/config": "", "__pycache__/x.pyc": ""}
    environment = small(tmp_path, files)
    assert sorted(environment.files) == ["main.py", "repo/main.py", "repo/rules.py"]
    assert sorted(environment.sealed) == ["judge.py", "most.json"]


def test_common_files_lie_in_the_repository_frozen_and_beside_the_evaluation(
    tmp_path: Path,
) -> None:
    text = CONFIG.replace('path = "repo"', 'path = "repo"\ncommon = ["common", "../more"]', 1)
    write_small(tmp_path / "env", {"env.toml": text, "common/model.py": "W = 1\n"})
    write_small(tmp_path, {"more/weights.py": ""})
    environment = read_environment(read_description(tmp_path / "env"))
    both = {"model.py", "weights.py"}
    assert set(environment.files) & set(environment.sealed) == both
    assert environment.frozen == ("rules.py", *sorted(both))
    with pytest.raises(DiffRefused, match=r"model\.py is frozen"):
        apply_diff(environment, replaced(environment, "model.py", "1", "2"))
    (tmp_path / "env/sealed/model.py").write_text("")
    with pytest.raises(EnvironmentUnusable, match=r"model\.py .*elsewhere too"):
        read_environment(read_description(tmp_path / "env"))


@pytest.mark.parametrize("folder", ["repo", "sealed"])
def test_links_and_files_that_are_too_large_are_refused(folder: str, tmp_path: Path) -> None:
    write_small(tmp_path)
    (tmp_path / folder / "link").symlink_to("/etc/passwd")
    with pytest.raises(EnvironmentUnusable, match="link"):
        read_environment(read_description(tmp_path))
    (tmp_path / folder / "link").unlink()
    (tmp_path / folder / "large").write_bytes(bytes(2 * 1024**2))
    with pytest.raises(EnvironmentUnusable, match="disk_mb"):
        read_environment(read_description(tmp_path))


def test_another_repository_evaluation_or_budget_is_another_environment(tmp_path: Path) -> None:
    first = small(tmp_path / "a")
    changes = {"repo/main.py": "x = 1\n", "sealed/most.json": "6"}
    others = [small(tmp_path / name[0], {name: text}) for name, text in changes.items()]
    others.append(small(tmp_path / "c", {"env.toml": CONFIG.replace("cpu_s = 2", "cpu_s = 3")}))
    assert len({first.sha256, *(other.sha256 for other in others)}) == 4
    assert small(tmp_path / "d").sha256 == first.sha256, "where it lies decides nothing"


def test_a_repository_that_holds_what_the_job_leaves_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentUnusable, match=r"holds out\.json"):
        small(tmp_path, {"repo/out.json": "{}"})
