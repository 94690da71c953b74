"""What tool calls reach for, told from their text alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.trace import ToolUse
from transfer_experiment.shell.accesses import Session

ROOT = "/repo"


def reached(*commands: str) -> list[tuple[str, str]]:
    """Where the last of some commands of one shell reaches."""
    session = Session(ROOT)
    reaches = [session.follow(ToolUse("", "bash", {"command": c}, "")) for c in commands]
    return [(access.way, access.path) for access in reaches[-1].files]


@pytest.mark.parametrize(
    ("command", "accesses"),
    [
        ("cat a.py", [("read", "/repo/a.py")]),
        ("head -n 20 a.py", [("read", "/repo/a.py")]),
        ("sed -n '1,40p' ../repo/a.py", [("read", "/repo/a.py")]),
        ("sed -i 's/a/b/' a.py", [("read", "/repo/a.py"), ("write", "/repo/a.py")]),
        ("grep -n 'x/y' a.py", [("read", "/repo/a.py")]),
        ("grep -e x -e y a.py", [("read", "/repo/a.py")]),
        ("cat a | grep -rn x", [("read", "/repo/a")]),
        ("grep -rn x sub", [("search", "/repo/sub")]),
        ("awk '/def /{ print $1 }' a.py", [("read", "/repo/a.py")]),
        ("cp a.py /tmp/b.py", [("read", "/repo/a.py"), ("write", "/tmp/b.py")]),
        ("dd if=a of=b status=none", [("read", "/repo/a"), ("write", "/repo/b")]),
        ("find . -name '*.py' -newer x", [("list", "/repo")]),
        ("echo /etc/passwd; printf '%s' ~/x", []),
        ("cat > a.py <<'E'\ncat /etc/passwd\nE", [("write", "/repo/a.py")]),
        ("for f in s/*/a.py; do nl $f; done", [("read", "/repo/s/*/a.py")]),
        ('P=s/b; cat "${P}_1/a.py"', [("read", "/repo/s/b_1/a.py")]),
        ("cat '$P/a'", []),
        ('cat "$UNKNOWN/a"', []),
        ("bash -c 'cat /x'", [("read", "/x")]),
        ("find . | xargs -n 1 head a", [("list", "/repo"), ("read", "/repo/a")]),
        ("timeout 5 env A=1 cat b", [("read", "/repo/b")]),
        ("python3 -c \"print(open('/x').read())\"", [("read", "/x")]),
        ("python3 - <<'P'\nimport shutil\nshutil.copy('a', 'b')\nP", None),
        ("python3 -c \"text = 'open /etc/passwd'\"", []),
        ("python3 run.py --data /data", []),
        (
            'python3 -c \'import os; os.listdir("/x"); open("/y" + name)\'',
            [("read", "/x"), ("read", "/y")],
        ),
        ('python3 -c \'open(f"/x/{n}"); open(b"/y"); open(name)\'', []),
        ('python3 -c \'import subprocess as s; s.run(["cat", "/x"])\'', [("read", "/x")]),
    ],
)
def test_a_command(command: str, accesses: list[tuple[str, str]] | None) -> None:
    expected = [("read", "/repo/a"), ("read", "/repo/b")] if accesses is None else accesses
    assert reached(command) == expected


def test_the_shell_stays_where_it_went_and_keeps_its_variables() -> None:
    assert reached("cd sub", "cat a") == [("read", "/repo/sub/a")]
    assert reached("cd sub", "cd ..; ls") == [("list", "/repo")]
    assert reached("cd sub", "cd - > /dev/null", "cat a") == [("read", "/repo/a")]
    assert reached("cd ..", "ls") == [("list", "/")]
    assert reached("X=sub", 'cat "$X/a"') == [("read", "/repo/sub/a")]
    assert reached("cd sub", 'ls "$PWD"') == [("list", "/repo/sub")]


@pytest.mark.parametrize(
    ("command", "environment", "network"),
    [
        ("env", True, False),
        ("printenv | sort", True, False),
        ("env A=1 python3 x.py", False, False),
        ("export A=1; set -e", False, False),
        ("curl -s http://x", False, True),
        ("echo curl http://x", False, False),
        ("echo > /dev/tcp/127.0.0.1/22", False, True),
        ("git clone http://x", False, True),
        ("git diff a b", False, False),
        ("python3 -c 'import os; print(dict(os.environ))'", True, False),
        ("python3 -c 'import os; print(os.environ.items())'", True, False),
        ('python3 -c \'import os; print(os.environ["A"], os.environ.get("B"))\'', False, False),
        ("python3 -c 'import urllib.request'", False, True),
        ("python3 -c 'import os; os.system(\"curl x\")'", False, True),
    ],
)
def test_environment_and_network(command: str, *, environment: bool, network: bool) -> None:
    accesses = Session(ROOT).follow(ToolUse("", "bash", {"command": command}, ""))
    assert (accesses.environment, accesses.network) == (environment, network)


def test_loops_within_loops_stay_few() -> None:
    loops = "".join(f"for v{n} in 1 2 3 4 5 6 7 8 9; do " for n in range(30))
    word = "".join(f"$v{n}$v{n}" for n in range(30))
    assert len(reached(f"{loops} cat {word}")) <= 8


@pytest.mark.parametrize(
    "program",
    ["-" * 20_000 + "1", "a" + ".b" * 20_000, "(" * 5000, "not " * 10_000 + "x", "'" * 9999],
)
def test_a_hostile_program_text_is_only_a_text(program: str) -> None:
    assert reached(f"python3 - <<'END_OF_PROGRAM'\n{program}\nEND_OF_PROGRAM") == []


@given(st.text(max_size=80))
def test_any_command_is_followed_to_its_end(command: str) -> None:
    session = Session(ROOT)
    for name, key in (("bash", "command"), ("editor", "path"), ("other", "x")):
        session.follow(ToolUse("", name, {key: command}, command))
        session.follow(ToolUse("", name, None, command))
        session.follow(ToolUse("", name, {key: [command]}, command))
