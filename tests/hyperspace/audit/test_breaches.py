"""What an audit must find in a run whose guard failed: each breach is made and then found."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from hyperspace.audit.audit import read_audit
from hyperspace.kernel.files import (
    append_line,
    pretty_json,
    text_hashes,
    tree_hashes,
    write_synced,
    write_tree,
)
from hyperspace.kernel.state.config import RunConfig, write_record
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import Closing, Manifest, Violation
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.state.opening import RunSpace, new_record
from hyperspace.kernel.state.scopes import STRATEGIES
from hyperspace.options.fleet import FleetTerms, Member
from markspace import Agent, Guard, Observation
from tests.support.runs import begun
from tests.support.runs.manifests import manifest

CONFIG = msgspec.structs.replace(begun.CONFIG, agents=("a", "b"))
CODE = {"task_agent.py": "x = 1\n", "meta_agent.py": "y = 1\n"}
FROZEN = {"agent/__init__.py": "FROZEN = True\n"}
BAD = "z = 'bad'\n"


class Run:
    """A run folder that is written as the coordinator would, or as one that failed would."""

    def __init__(self, root: Path, config: RunConfig = CONFIG) -> None:
        self.folder = RunFolder(root)
        write_record(self.folder.record, new_record(config, "bubblewrap", ()))
        space = RunSpace(self.folder.space, config)
        self.marks, self.writer = space.marks, space.writer()

    def close(
        self,
        generation: int,
        code: dict[str, str] = CODE,
        repo: dict[str, str] | None = None,
        violations: tuple[Violation, ...] = (),
        closed_utc: str = "",
    ) -> Closing:
        """Close a generation of agent `a` with this code and these files."""
        files = {**FROZEN, **code} if repo is None else repo
        root = self.folder.generation("a", generation)
        write_tree(root, {f"repo/{path}": text.encode() for path, text in files.items()})
        made = msgspec.structs.replace(
            manifest(generation, 0.5), code=text_hashes(code), violations=violations
        )
        closed = closing(made, tree_hashes(root), self.marks, closed_utc=closed_utc)
        return self.writer.publish(closed, code, 0, None)

    def through(self) -> tuple[str, ...]:
        audit = read_audit(self.folder.root)
        assert audit.verified, audit.problem
        assert audit.passed == (not audit.through)
        return audit.through


def closing(
    made: Manifest, files: dict[str, str], marks: RunMarks, head: str = "", closed_utc: str = ""
) -> Closing:
    return Closing(
        manifest=made,
        files=files,
        audit_head=head or marks.audit_head(),
        seconds=0.0,
        closed_utc=closed_utc,
        attempt=0,
        calls=0,
        cost_usd=0.0,
    )


@pytest.fixture
def run(tmp_path: Path) -> Run:
    made = Run(tmp_path / "run")
    made.close(0)
    return made


def put_back(path: str, text: str, what: str = "changed") -> Violation:
    after = text_hashes({"": text})[""]
    evidence = {"sha256_before": text_hashes(FROZEN)["agent/__init__.py"], "sha256_after": after}
    return Violation("edit-scope", f"{what} {path}", path, "reverted", "no", evidence)


def test_a_run_as_it_should_be_passes(run: Run) -> None:
    run.close(1, {**CODE, "task_agent.py": "x = 2\n"}, violations=(put_back("json.py", BAD),))
    assert run.through() == ()


def test_a_mode_that_was_put_back_says_nothing_about_content(run: Run) -> None:
    changed = {**CODE, "task_agent.py": "x = 2\n"}
    run.close(1, changed, violations=(put_back("task_agent.py", "x = 2\n", "mode"),))
    assert run.through() == ()


BREACHES: dict[str, tuple[Callable[[Run], object], str]] = {
    "code outside the edit scope": (
        lambda run: run.close(1, {**CODE, "json.py": BAD}),
        "a gen 1: its code holds json.py: outside the edit scope",
    ),
    "another runtime": (
        lambda run: run.close(1, repo={**CODE, "agent/__init__.py": BAD}),
        "agent/__init__.py is neither its code nor the frozen runtime",
    ),
    "a file beside the runtime": (
        lambda run: run.close(1, repo={**CODE, **FROZEN, "agent/extra.py": BAD}),
        "agent/extra.py is neither",
    ),
    "files that are not the code": (
        lambda run: run.close(1, repo={**CODE, **FROZEN, "task_agent.py": BAD}),
        "repo/task_agent.py is not its code",
    ),
    "a change that was put back and is in the code": (
        lambda run: run.close(
            1, {**CODE, "task_agent.py": BAD}, violations=(put_back("task_agent.py", BAD),)
        ),
        "task_agent.py was reverted, and is in its code all the same",
    ),
    "a change that was put back and is among the files": (
        lambda run: run.close(
            1,
            repo={**CODE, "agent/__init__.py": BAD},
            violations=(put_back("agent/__init__.py", BAD),),
        ),
        "agent/__init__.py was reverted, and is among its files",
    ),
    "a file that was changed afterwards": (
        lambda run: write_tree(run.folder.generation("a", 0), {"repo/task_agent.py": BAD.encode()}),
        "repo/task_agent.py was changed or lost since it was closed",
    ),
    "a file beside the code that was changed afterwards": (
        lambda run: (run.folder.generation("a", 0) / "repo" / "agent" / "__init__.py").unlink(),
        "repo/agent/__init__.py was changed or lost",
    ),
    "a file that was added afterwards": (
        lambda run: write_tree(run.folder.generation("a", 0), {"repo/json.py": BAD.encode()}),
        "repo/json.py was added since it was closed",
    ),
    "a record that was made up": (
        lambda run: append_line(run.folder.audit, {"agent": "b"}),
        'audit.jsonl says what the space does not: {"agent":"b"}',
    ),
    "a file that was lost": (
        lambda run: (run.folder.generation("a", 0) / "repo" / "meta_agent.py").unlink(),
        "repo/meta_agent.py was changed or lost",
    ),
}


@pytest.mark.parametrize("name", BREACHES)
def test_a_breach_is_found(run: Run, name: str) -> None:
    make, expected = BREACHES[name]
    make(run)
    assert [line for line in run.through() if expected in line] != []


def records_of(run: Run) -> list[dict[str, object]]:
    return [*read_audit(run.folder.root).refused]


def test_a_finished_run_has_every_record_in_its_file(run: Run) -> None:
    run.close(1, violations=(put_back("json.py", BAD), put_back("ast.py", BAD)))
    finish(run)
    assert [line for line in run.through() if "json.py" in line or "ast.py" in line] == [
        "audit.jsonl lacks: a gen 1 changed json.py",
        "audit.jsonl lacks: a gen 1 changed ast.py",
    ]
    for record in records_of(run):
        append_line(run.folder.audit, record)
    assert run.through() == ()


def test_while_a_run_is_played_its_newest_records_may_still_be_missing(run: Run) -> None:
    run.close(1, violations=(put_back("json.py", BAD),), closed_utc="2026-01-01T00:00:01Z")
    run.close(2, violations=(put_back("ast.py", BAD),), closed_utc="2026-01-01T00:00:02Z")
    older, newer = records_of(run)
    assert run.through() == ()
    append_line(run.folder.audit, older)
    with run.folder.audit.open("ab") as file:  # as a kill leaves it
        file.write(b'{"agent":')
    assert run.through() == ()
    write_synced(run.folder.audit, b"")
    append_line(run.folder.audit, newer)
    assert run.through() == ("audit.jsonl lacks: a gen 1 changed json.py",)


def finish(run: Run) -> None:
    run.folder.summary.write_bytes(pretty_json({"audit_head": run.marks.audit_head()}))


def write_as(run: Run, name: str, mark: Observation) -> None:
    """Write as someone whose rights are not those of the run, as a broken guard would let them."""
    author = Agent(name=name, id=run.marks.author(name), scopes={mark.scope: ["observation"]})
    handle = run.marks.space.enroll(author)
    Guard(run.marks.space).write_all([(handle, mark)])


def test_a_mark_where_its_author_may_not_write_is_found(run: Run) -> None:
    content: dict[str, dict[str, str]] = {"files": {}}
    write_as(run, "b", Observation(scope=f"{STRATEGIES}/a", topic="gen/0", content=content))
    write_as(run, "c", Observation(scope=f"{STRATEGIES}/a", topic="gen/0", content=content))
    lines = run.through()
    assert any("strategies/a was written by b, who may not" in line for line in lines)
    assert any("strategies/a was written by a stranger, who may not" in line for line in lines)


def test_a_mark_that_takes_the_place_of_another_is_found(run: Run) -> None:
    (mark,) = run.marks.space.read("code/a", topic="gen/0")
    content = {"files": CODE}
    newer = Observation(scope="code/a", topic="gen/0", content=content, supersedes=mark.id)
    write_as(run, "a", newer)
    assert any("takes the place of an older one, as none may" in line for line in run.through())


def test_published_code_that_no_closing_mark_names_is_found(run: Run) -> None:
    forged = Observation(
        scope=f"{STRATEGIES}/a", topic="gen/0", content={"files": {"task_agent.py": BAD}}
    )
    write_as(run, "a", forged)
    assert any("code that its closing mark does not name" in line for line in run.through())


def test_a_closing_mark_on_a_head_that_is_not_in_the_chain_does_not_verify(run: Run) -> None:
    made = msgspec.structs.replace(manifest(1, 0.5), code=text_hashes(CODE))
    run.writer.publish(closing(made, {}, run.marks, "ab" * 32), CODE, 0, None)
    audit = read_audit(run.folder.root)
    assert not audit.verified
    assert "a gen 1" in audit.problem


def test_a_chain_that_ends_before_the_head_of_the_summary_does_not_verify(run: Run) -> None:
    run.folder.summary.write_bytes(pretty_json({"audit_head": "cd" * 32}))
    assert "ends too early" in read_audit(run.folder.root).problem


@pytest.fixture
def scoped(tmp_path: Path) -> Run:
    """A run of agents that may change their task agent and notes."""
    member = Member(1, scope=("task_agent.py", "notes/*.md"))
    terms = FleetTerms(members=(member, member))
    made = Run(tmp_path / "run", msgspec.structs.replace(CONFIG, kind="fleet", fleet=terms))
    made.close(0)
    return made


def test_an_agents_own_scope_is_what_its_code_is_held_against(scoped: Run) -> None:
    scoped.close(1, {**CODE, "task_agent.py": "x = 2\n", "notes/a.md": "Better.\n"})
    assert scoped.through() == ()


def test_a_changed_file_outside_an_agents_own_scope_is_found(scoped: Run) -> None:
    scoped.close(1, {**CODE, "meta_agent.py": BAD})
    (line,) = scoped.through()
    assert "meta_agent.py: outside the edit scope" in line
