"""env.toml: what it may say, and what is said of it where it may not."""

from pathlib import Path

import pytest

from hyperspace.research.environments.description import read_description
from hyperspace.research.environments.registry import find_environment, names
from hyperspace.research.environments.repository import read_environment
from hyperspace.research.errors import DiffRefused, EnvironmentUnusable
from hyperspace.research.jobs.candidate import apply_diff
from tests.hyperspace.research.environments import CONFIG, replaced, small, write_small


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
        ('["rules.py"]', '["/rules.py"]', "'/rules.py' matches no path of a repository"),
        ('format = "json"', 'format = "pickle"', "format"),
        ("max_mb = 0.001", "max_mb = 50", "raise it or lower max_mb"),
        ('path = "sealed"', 'path = "missing"', "not a directory"),
        ('path = "sealed"', 'path = "."', "every job would see the evaluation"),
        ('command = ["python", "main.py"]', "command = []", "command"),
        ("[job]", "[job", "is not TOML"),
        ("[job]", "a = " + "[" * 5000 + "\n[job]", "is not TOML"),
        ('name = "small"', 'name = "small"\nreference = nan', "no score"),
        ("[job]", '[job]\npackages = ["os"]', "packages: os is part of Python"),
        ("[evaluation]", '[evaluation]\npackages = ["a-b"]', "packages: 'a-b' is no name"),
        ("[job]", "[job]\ngpus = 2", "gpus"),
        ("[job]", "[scales]\nlarge = 3\n[job]", "Expected `object`"),
    ],
)
def test_what_does_not_fit_is_named(old: str, new: str, told: str, tmp_path: Path) -> None:
    assert old in CONFIG
    folder = write_small(tmp_path, {"env.toml": CONFIG.replace(old, new, 1)})
    with pytest.raises(EnvironmentUnusable, match=told):
        read_description(folder)


SCALED = (
    CONFIG
    + """
[scales.large]
reference = 5.0
[scales.large.constants]
"main.py" = { value = 4 }
"rules.py" = { MOST = 6 }
[scales.large.budget]
cpu_s = 3
"""
)


def test_a_scale_says_otherwise_and_leaves_the_rest(tmp_path: Path) -> None:
    folder = write_small(tmp_path, {"env.toml": SCALED})
    plain = read_environment(read_description(folder))
    assert plain.sha256 == small(tmp_path / "unscaled").sha256, (
        "scales that are there change nothing"
    )
    large = read_environment(read_description(folder, None, "large"))
    assert large.name == "small_large"
    assert large.texts() == {
        "main.py": plain.texts()["main.py"].replace("value = 1", "value = 4"),
        "rules.py": "MOST = 6\n",
    }
    table = large.description.table
    assert (table.budget.cpu_s, table.budget.wall_s, table.reference) == (3, 30.0, 5.0)
    assert large.sha256 != plain.sha256
    with pytest.raises(EnvironmentUnusable, match="no scale 'huge'; those that it has: large"):
        read_description(folder, None, "huge")
    with pytest.raises(EnvironmentUnusable, match="no scale 'large'; those that it has: none"):
        read_description(tmp_path / "unscaled", None, "large")


@pytest.mark.parametrize(
    ("constants", "told"),
    [
        ('"main.py" = { values = 4 }', "does not assign values once"),
        ('"main.py" = { path = [1] }', "constants"),
        ('"other.py" = { value = 4 }', "names other.py, which the repository does not hold"),
        ('"twice.py" = { A = 4 }', "does not assign A once"),
        ('"broken.py" = { A = 4 }', "constants of broken.py"),
        ('"main.py" = { value = inf }', "would be inf"),
        ('"more.py" = { A = 4 }', "does not assign A once"),
        ('"more.py" = { B = 4 }', "does not assign B once"),
        ('"more.py" = { C = 4 }', "does not assign C once"),
        ('"nested.py" = { A = 4 }', "cannot be read as a program"),
        ('"ends.py" = { A = 4 }', "its lines end in more ways than one"),
    ],
)
def test_constants_that_are_not_there_are_named(constants: str, told: str, tmp_path: Path) -> None:
    files = {
        "repo/twice.py": "A = 1\nA = 2\n",
        "repo/broken.py": "A = (\n",
        "repo/more.py": "A = 1\nA += 5\nB = 2\nif A:\n    B = 3\nC = [\n    4\n]\n",
        "repo/nested.py": "A = " + "-" * 90_000 + "1\n",
        "repo/ends.py": "B = 1\rA = 2\n",
    }
    files["env.toml"] = f"{CONFIG}\n[constants]\n{constants}\n"
    folder = write_small(tmp_path, files)
    with pytest.raises(EnvironmentUnusable, match=told):
        read_environment(read_description(folder))


@pytest.mark.parametrize(
    ("text", "constants", "wanted"),
    [
        ("X = 1; Z = 2\n", "{ X = 1000, Z = 5 }", "X = 1000; Z = 5\n"),
        ("XX = 5; X = 2\n", "{ XX = 123456, X = 7 }", "XX = 123456; X = 7\n"),
        ("Y = 9  # \u2028 a\nW = 4\nX = 1\n", "{ X = 8 }", "Y = 9  # \u2028 a\nW = 4\nX = 8\n"),
        ("Y = 9\n\fX = 1\n", "{ X = 8 }", "Y = 9\n\fX = 8\n"),
        ("é = 1; X = (1)\n", "{ X = true }", "é = 1; X = (True)\n"),
    ],
)
def test_constants_are_set_where_they_stand(
    text: str, constants: str, wanted: str, tmp_path: Path
) -> None:
    config = f'{CONFIG}\n[constants]\n"more.py" = {constants}\n'
    environment = small(tmp_path, {"env.toml": config, "repo/more.py": text})
    assert environment.files["more.py"].decode() == wanted


def test_constants_leave_a_file_of_the_evaluation_that_has_the_same_name(tmp_path: Path) -> None:
    config = f'{CONFIG}\n[constants]\n"rules.py" = {{ MOST = 9 }}\n'
    environment = small(tmp_path, {"env.toml": config, "sealed/rules.py": "MOST = 5\n"})
    assert environment.files["rules.py"] == b"MOST = 9\n"
    assert environment.sealed["rules.py"] == b"MOST = 5\n"


def test_constants_of_common_files_are_those_of_the_evaluation_too(tmp_path: Path) -> None:
    text = CONFIG.replace('path = "repo"', 'path = "repo"\ncommon = ["common"]', 1)
    text += '[constants]\n"model.py" = { WIDTH = 8, NAME = "é", DEVICE = "cuda" }\n'
    model = 'WIDTH = 4  # é\nNAME = "a"\nDEVICE = "cpu"  # where\n'
    files = {"env.toml": text, "common/model.py": model}
    environment = small(tmp_path, files)
    wanted = "WIDTH = 8  # é\nNAME = 'é'\nDEVICE = 'cuda'  # where\n"
    assert environment.files["model.py"].decode() == wanted
    assert environment.sealed["model.py"].decode() == wanted


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
