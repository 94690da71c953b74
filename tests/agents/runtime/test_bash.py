import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agents.runtime.agent.tools.bash import BashTool

Run = Callable[[str], str]

NEW_SHELL = "[the shell ended; the next command gets a new one in the same folder]"


@pytest.fixture
def tool(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[BashTool]:
    monkeypatch.chdir(str(tmp_path))
    tool = BashTool(timeout_s=0.5)
    yield tool
    tool.close()


@pytest.fixture
def run(tool: BashTool) -> Run:
    return lambda command: tool.run({"command": command})


def processes(command: str) -> list[str]:
    """Ids of the processes whose command line contains a text."""
    return [
        path.parent.name for path in Path("/proc").glob("[0-9]*/cmdline") if command in said(path)
    ]


def gone(command: str) -> bool:
    """Whether all such processes end; a killed one takes a moment to."""
    return comes(lambda: not processes(command))


def comes(state: Callable[[], bool]) -> bool:
    """Whether a state is reached; processes take a moment to begin and to end."""
    deadline = time.monotonic() + 60
    while not state() and time.monotonic() < deadline:
        time.sleep(0.02)
    return state()


def said(cmdline: Path) -> str:
    try:
        return cmdline.read_text().replace("\0", " ")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def test_output_and_errors_come_back_together_with_the_exit_code(run: Run) -> None:
    assert run("echo out; echo err >&2; (exit 7)") == "out\nerr\n[exit code 7]"


def test_folder_variables_and_functions_stay_for_the_next_command(run: Run) -> None:
    run("mkdir a; cd a; x=5; declare -A m; m[k]=v; f() { echo called; }")
    assert run("echo $x ${m[k]} ${PWD##*/}; f") == "5 v a\ncalled\n[exit code 0]"


def test_a_command_with_a_heredoc_works(run: Run) -> None:
    assert run("cat > f <<'END'\nit's \"$x\" \\n\nEND\ncat f") == 'it\'s "$x" \\n\n[exit code 0]'


def test_a_heredoc_without_an_end_does_not_eat_the_next_command(run: Run) -> None:
    run("cat <<END\nnever closed")
    assert run("echo still here") == "still here\n[exit code 0]"


def test_a_syntax_error_is_told_and_the_shell_goes_on(run: Run) -> None:
    assert "unexpected EOF" in run("echo 'unclosed")
    assert run("echo on") == "on\n[exit code 0]"


def test_a_command_that_reads_input_gets_none(run: Run) -> None:
    assert run("cat; read x || echo no input") == "no input\n[exit code 0]"


def test_a_redirection_by_exec_ends_with_its_command(run: Run) -> None:
    assert run("exec >lost 2>&1 </dev/zero; echo hidden") == "[exit code 0]"
    assert run("echo seen") == "seen\n[exit code 0]"


def test_the_tool_survives_exit_and_keeps_the_folder(run: Run) -> None:
    run("mkdir b; cd b")
    assert run("x=1; exit 3") == f"[exit code 3]\n{NEW_SHELL}"
    assert run("echo ${PWD##*/} [$x]") == "b []\n[exit code 0]"


@pytest.mark.parametrize(
    ("command", "code"), [("kill -9 $$", 137), ("exec true", 0), ("set -e; false", 1)]
)
def test_the_tool_survives_every_end_of_its_shell(run: Run, command: str, code: int) -> None:
    assert run(command) == f"[exit code {code}]\n{NEW_SHELL}"
    assert run("echo on") == "on\n[exit code 0]"


@pytest.mark.parametrize(
    "command",
    [
        "sleep 61.5",
        "while :; do :; done",
        "exec sleep 61.5",
        "exec sleep 61.5 >/dev/null 2>&1",
        "sleep 61.5 | cat",
        "yes",
    ],
)
def test_a_command_past_the_limit_is_killed_and_says_so(run: Run, command: str) -> None:
    started = time.monotonic()
    told = run(command)
    assert "[killed: the command ran past 0.5 s; it and everything that it started" in told
    assert time.monotonic() - started < 30
    assert run("echo on") == "on\n[exit code 0]"


def test_the_limit_ends_children_in_sessions_of_their_own(run: Run) -> None:
    sleep = f"sleep 62.{os.getpid()}"
    run(f"setsid {sleep} & ({sleep} &) ; {sleep}")
    assert gone(sleep)


def test_closing_ends_what_runs_in_the_background(tool: BashTool) -> None:
    sleep = f"sleep 63.{os.getpid()}"
    tool.run({"command": f"{sleep} & ({sleep} &)"})
    assert comes(lambda: len(processes(sleep)) == 2)
    tool.close()
    assert gone(sleep)


def test_long_output_is_cut_in_the_middle_and_says_how_much(run: Run) -> None:
    told = run("seq 1 20000")
    assert told.startswith("1\n2\n") and told.endswith("20000\n[exit code 0]")
    assert "[... 78894 bytes cut ...]" in told
    assert len(told) < 31_000


def test_output_that_is_no_text_is_shown_as_far_as_it_goes(run: Run) -> None:
    assert run(r"printf 'a\377b'") == "a\N{REPLACEMENT CHARACTER}b\n[exit code 0]"


def test_a_command_of_a_hundred_kilobytes_runs(run: Run) -> None:
    assert run(f"x='{'y' * 100_000}'; echo ${{#x}}") == "100000\n[exit code 0]"


def test_waiting_for_a_command_that_says_nothing_takes_no_processor_time(run: Run) -> None:
    before = time.process_time()
    run("exec sleep 61.5 >/dev/null 2>&1")
    assert time.process_time() - before < 0.2


def test_a_shell_that_was_killed_between_commands_is_replaced(run: Run) -> None:
    run("(sleep 0.05; kill -9 $$) &")
    time.sleep(0.2)
    run("echo this may be lost")
    assert run("echo on") == "on\n[exit code 0]"


def test_a_folder_that_is_gone_does_not_keep_a_new_shell_from_starting(run: Run) -> None:
    run("mkdir gone; cd gone")
    run("rmdir ../gone; exit")
    assert run("echo on") == "on\n[exit code 0]"


def test_a_nul_character_is_refused_in_words(run: Run) -> None:
    assert run("echo a\0b") == "Error: a command cannot hold a NUL character."
