"""Folders of data that a person brings: read by who is to read them, and by nobody else."""

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import anyio
import msgspec
import pytest

from guards.sandboxes.choose import choose
from guards.sandboxes.data_folders import data_binds
from guards.sandboxes.process import ProcessSandbox
from guards.sandboxes.sandbox import Job, SandboxUnavailable
from hyperspace.executor.errors import ExecutorUsageError
from hyperspace.executor.local.backend import LocalBackend
from hyperspace.kernel.errors import RunPaused, RunUsageError
from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.research.environments.description import read_description
from hyperspace.research.environments.repository import Environment, read_environment
from hyperspace.research.errors import EnvironmentUnusable
from hyperspace.research.jobs.scoring import evaluation_job, training_job
from hyperspace.research.loop.options import ResearchOptions
from hyperspace.research.loop.records import FORMAT, ResearchConfig, ResearchRecord
from hyperspace.research.loop.replay import replay_research
from hyperspace.research.loop.resuming import ResumeTerms, deeds, resume_research
from tests.hyperspace.research.environments import CONFIG, SANDBOX, opened, replaced, write_small
from tests.hyperspace.research.runs import (
    IDEATOR,
    ScriptedIdeator,
    block,
    config_for,
    play,
    run_research,
)
from tests.support.command import failed, hyperspace
from tests.support.sandboxes import LIMITS, needs_bubblewrap

READS = (
    CONFIG
    + """
[data.texts]
about = "texts, *.txt"
[data.answers]
about = "what is right"
read_by = "evaluation"
needed = false
"""
)
MAIN = """
import json, os
there = sorted(os.listdir("/opt/data"))
def fails(act):
    try:
        act()
    except OSError as error:
        return error.errno
kept = [
    fails(lambda: open("/opt/data/texts/new", "w")),
    fails(lambda: os.remove("/opt/data/texts/a.txt")),
    fails(lambda: os.listdir("/opt/data/answers")),
]
value = 1
value += len(open("/opt/data/texts/sub/b.txt").read())
json.dump({"value": value, "there": there, "kept": kept}, open("out.json", "w"))
"""
JUDGE = """
import json, os
left = json.load(open("artefacts/out.json"))
assert left["there"] == ["texts"] and all(left["kept"]), left
assert sorted(os.listdir("/opt/data")) == ["answers"]
print(json.dumps({"score": left["value"] + int(open("/opt/data/answers/a").read())}))
"""


def texts(folder: Path) -> Path:
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("one")
    (folder / "sub" / "b.txt").write_text("two")
    return opened(folder)


def answers(folder: Path) -> Path:
    folder.mkdir()
    (folder / "a").write_text("100")
    return opened(folder)


def environment(folder: Path, **data: Path) -> Environment:
    files = {"env.toml": READS, "repo/main.py": MAIN, "sealed/judge.py": JUDGE}
    return read_environment(read_description(write_small(folder, files)), data)


def test_data_are_known_by_what_they_hold_and_not_by_where(tmp_path: Path) -> None:
    first = environment(tmp_path / "env", texts=texts(tmp_path / "texts"))
    moved = shutil.copytree(tmp_path / "texts", tmp_path / "moved")
    assert environment(tmp_path / "env", texts=moved).sha256 == first.sha256
    job = training_job(first, first.files, SANDBOX)
    assert job.data == {"texts": first.data["texts"].sha256}
    assert evaluation_job(first, {}, SANDBOX).data is msgspec.UNSET
    (moved / "sub" / "b.txt").rename(moved / "b.txt")
    assert environment(tmp_path / "env", texts=moved).sha256 != first.sha256


def emptied(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


def made_a_file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("")


SPOILED: list[tuple[Callable[[Path], object], str]] = [
    (lambda folder: (folder / "link").symlink_to("/etc/passwd"), "link is a link"),
    (lambda folder: os.mkfifo(folder / "pipe"), "pipe is neither a file nor a folder"),
    (lambda folder: (folder / "sub" / "up").symlink_to(".."), "up is a link"),
    (shutil.rmtree, "cannot be read"),
    (emptied, "is empty"),
    (made_a_file, "it is no folder"),
]


@pytest.mark.parametrize(("spoil", "told"), SPOILED)
def test_what_is_no_folder_of_files_is_refused(
    spoil: Callable[[Path], object], told: str, tmp_path: Path
) -> None:
    folder = texts(tmp_path / "texts")
    spoil(folder)
    with pytest.raises(EnvironmentUnusable, match=told):
        environment(tmp_path / "env", texts=folder)


def test_data_that_are_missing_or_that_nobody_reads_are_named(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentUnusable, match=r"--data texts=FOLDER \(texts, \*\.txt\)"):
        environment(tmp_path / "env")
    folder = texts(tmp_path / "texts")
    with pytest.raises(EnvironmentUnusable, match="reads no data 'text'; what it reads: texts"):
        environment(tmp_path / "env", text=folder)
    done = hyperspace("research", "--env", "fit_line", "--models", IDEATOR, "--data", "here")
    assert "'here' is not NAME=FOLDER" in failed(done, 2)


async def _start(folder: Path) -> None:
    async with ProcessSandbox().start(Job("score", {}, limits=LIMITS, folders={"a": folder})):
        pass


def test_what_judges_is_shown_to_no_job(tmp_path: Path) -> None:
    inner = texts(tmp_path / "env" / "sealed" / "more")
    for folder in (inner, tmp_path / "env" / "sealed", tmp_path):
        with pytest.raises(EnvironmentUnusable, match="the evaluation has the same or a part"):
            environment(tmp_path / "env", texts=folder)
    folder = texts(tmp_path / "texts")
    with pytest.raises(EnvironmentUnusable, match="--data answers has the same or a part"):
        environment(tmp_path / "env", texts=folder, answers=folder / "sub")
    words = ("research", "--env", "fit_line", "--models", IDEATOR)
    done = hyperspace(*words, "--data", f"a={folder}", f"--data=a={folder}")
    assert "one name two folders" in failed(done, 2)
    done = hyperspace(*words, "--data", f"a={folder}", "--executor", "ray")
    assert "nodes of a cluster do not have" in failed(done, 2)


CHANGES: list[Callable[[Path], object]] = [
    lambda folder: (folder / "a.txt").write_text("two"),
    lambda folder: (folder / "new").mkdir(),
    lambda folder: (folder / "a.txt").chmod(0o600),
    lambda folder: (folder / "link").symlink_to("/etc"),
    lambda folder: os.utime(folder / "a.txt", ns=(0, 0)),
    lambda folder: folder.rename(folder.with_name("moved")),
    lambda folder: (folder.rename(folder.with_name("m")), folder.symlink_to("m")),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_after_the_start_is_noticed(
    change: Callable[[Path], object], tmp_path: Path
) -> None:
    folder = texts(tmp_path / "texts")
    (data,) = environment(tmp_path / "env", texts=folder).data.values()
    assert data.is_as_it_was()
    change(folder)
    assert not data.is_as_it_was()


@needs_bubblewrap
@pytest.mark.parametrize(
    "when", ["before its job", pytest.param("during its job", marks=pytest.mark.long)]
)
def test_what_was_made_with_changed_data_does_not_count(when: str, tmp_path: Path) -> None:
    given = {"texts": texts(tmp_path / "texts"), "answers": answers(tmp_path / "answers")}
    first = environment(tmp_path / "env", **given)
    waits = "value = 2\nimport time; time.sleep(2)" if when == "during its job" else "value = 2"
    diff = block(replaced(first, "main.py", "value = 1", waits))
    read = given["texts"] / "sub" / "b.txt"
    model = ChangesData(diff, read, 1.0 if when == "during its job" else 0.0)
    with pytest.raises(RunPaused, match=r"--data texts=.* was changed since the start"):
        play(first, config_for(first), model, tmp_path / "run")
    model.ended.join()
    assert read.read_text() == "another"
    read.write_text("two")
    again = environment(tmp_path / "env", **given)
    ideas = play(again, config_for(again), ScriptedIdeator([[diff]]), tmp_path / "run")
    assert [ideas[number].score for number in (0, 1)] == [104.0, 105.0]


class ChangesData(ScriptedIdeator):
    """A model some seconds after whose call somebody changes a file."""

    def __init__(self, diff: str, file: Path, after_s: float) -> None:
        super().__init__([[diff]])
        self._change = threading.Timer(after_s, file.write_text, ["another"])
        self.ended = threading.Thread(target=self._change.join)

    async def complete(self, request: ChatRequest) -> ChatReply:
        if not self._change.is_alive() and not self._change.finished.is_set():
            self._change.start()
            self.ended.start()
            if not self._change.interval:
                self._change.join()
        return await super().complete(request)


def test_sandboxes_that_show_no_folder_and_folders_that_none_can_read(tmp_path: Path) -> None:
    folder = texts(tmp_path / "texts")
    with pytest.raises(SandboxUnavailable, match="process shows no folder"):
        anyio.run(_start, folder)
    assert data_binds({"a": folder}) == {"/opt/data/a": str(folder)}
    folder.chmod(0o700)
    if os.geteuid() == 0:
        with pytest.raises(SandboxUnavailable, match="cannot be read by the user"):
            data_binds({"a": folder})


@needs_bubblewrap
def test_a_run_reads_them_is_gone_on_with_and_made_again(tmp_path: Path) -> None:
    assert choose(SANDBOX, needs_boundary=True).sandbox.is_boundary
    given = {"texts": texts(tmp_path / "texts"), "answers": answers(tmp_path / "answers")}
    environment(tmp_path / "env", **given)
    options = ResearchOptions(
        env=str(tmp_path / "env"),
        models=(IDEATOR,),
        data=given,
        epochs=1,
        ideas=1,
        results=tmp_path / "results",
    )
    fields = run_research(options, quiet)
    assert fields["baseline"] == 104.0
    run = Path(fields["run"])
    assert resume_research(run, ResumeTerms(), quiet)["digest"] == fields["digest"]
    assert replay_research(run, quiet).same
    moved = given["texts"].rename(tmp_path / "moved")
    with pytest.raises(EnvironmentUnusable, match="texts"):
        resume_research(run, ResumeTerms(), quiet)
    now = ResumeTerms(data={"texts": moved})
    assert resume_research(run, now, quiet)["digest"] == fields["digest"]
    assert "is not NAME=FOLDER, as data of a research" in failed(
        hyperspace("resume", run, "--data", moved), 2
    )
    assert hyperspace("resume", run, "--data", f"texts={moved}").returncode == 0
    assert "cannot be read" in failed(hyperspace("replay", run), 2)
    assert "as recorded" in hyperspace("replay", run, "--data", f"texts={moved}").stdout
    moved.rename(given["texts"])
    (given["texts"] / "a.txt").write_text("another")
    with pytest.raises(RunUsageError, match=r"or data is another now; put it back"):
        resume_research(run, ResumeTerms(), quiet)


def test_data_that_a_machine_was_not_told_of_are_refused(tmp_path: Path) -> None:
    first = environment(tmp_path / "env", texts=texts(tmp_path / "texts"))
    backend = LocalBackend(lambda attempt: tmp_path / attempt.id, {})
    with pytest.raises(ExecutorUsageError, match="data 'texts' that nobody has named here"):
        backend.check(training_job(first, first.files, SANDBOX))


def test_names_that_are_not_text_and_folders_that_are_too_deep(tmp_path: Path) -> None:
    done = hyperspace("research", "--env", "fit_line", "--models", IDEATOR, "--data", "a=b\udcff")
    assert "is not UTF-8; rename the folder" in failed(done, 2)
    folder = texts(tmp_path / "texts")
    deep = folder.joinpath(*["d"] * 80)
    deep.mkdir(parents=True)
    with pytest.raises(EnvironmentUnusable, match="64 deep; pack them"):
        environment(tmp_path / "env", texts=folder)


def test_a_run_of_somebody_else_says_all_that_it_would_read() -> None:
    record = ResearchRecord(
        format=FORMAT,
        configuration=ResearchConfig(
            environment="small", environment_sha256="0" * 64, models=(IDEATOR,), epochs=1, ideas=1,
            explore=None, repairs=1, seed=1, sandbox=SANDBOX, arm="search",
        ),
        env="/theirs/env",
        env_config="/root/secret/env.toml",
        command=(),
        started_utc="",
        versions={},
        scale="large",
        data={"texts": "/etc"},
    )  # fmt: skip
    told = deeds(record)
    for each in ("/theirs/env", "/root/secret/env.toml", "in its scale large", "/etc"):
        assert each in told


def quiet(_line: str) -> None:
    pass
