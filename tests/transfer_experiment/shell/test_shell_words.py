"""Shell commands are taken apart as a shell takes them apart, and never raise."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transfer_experiment.shell.shell_words import simple_commands, what_reads

PLAIN = st.text(st.sampled_from("abz019._-/*=+:,@%^ '\"\\$&|;<>()#\n\t"), max_size=12)


def texts(command: str) -> list[list[str]]:
    return [[word.text for word in simple.words] for simple in simple_commands(command)]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("cat a b", [["cat", "a", "b"]]),
        ("a; b && c || d | e & f\ng", [[letter] for letter in "abcdefg"]),
        ("echo 'a > b' \"c ; d\" e\\ f", [["echo", "a > b", "c ; d", "e f"]]),
        ("ls # not /etc/passwd\nls x#y", [["ls"], ["ls", "x#y"]]),
        ("a \\\n b", [["a", "b"]]),
        ("(cd x; ls)", [["cd", "x"], ["ls"]]),
        ("echo $(cat /a) `ls b`", [["cat", "/a"], ["ls", "b"], ["echo", "", ""]]),
        ('echo "$(cat "a b")"', [["cat", "a b"], ["echo", ""]]),
        ("diff <(sort a) b", [["sort", "a"], ["diff", "", "b"]]),
        ("echo 'never closed", [["echo", "never closed"]]),
        ("", []),
    ],
)
def test_words(command: str, words: list[list[str]]) -> None:
    assert texts(command) == words


def test_redirections_are_no_arguments() -> None:
    (command,) = simple_commands("sort < in > out 2>> log 2>&1 3>&- &> all")
    assert [word.text for word in command.words] == ["sort"]
    assert [word.text for word in command.inputs] == ["in"]
    assert [word.text for word in command.outputs] == ["out", "log", "all"]


def test_a_here_document_belongs_to_its_command_and_is_no_command() -> None:
    first, second, third = simple_commands("cat <<'EOF' | wc -l\nrm -r /\nEOF\nls\n")
    assert first.document == "rm -r /\n"
    assert [word.text for word in second.words] == ["wc", "-l"]
    assert second.piped
    assert [word.text for word in third.words] == ["ls"]


def test_substitutions_within_each_other_have_a_bottom() -> None:
    assert list(simple_commands("$(" * 5000 + "ls" + ")" * 5000))


@given(st.lists(PLAIN.filter(lambda text: "\0" not in text), min_size=1, max_size=5))
def test_what_is_quoted_comes_out_as_it_went_in(words: list[str]) -> None:
    assert texts(shlex.join(words)) == [words]


@given(st.text(max_size=60))
def test_any_text_comes_to_an_end(text: str) -> None:
    assert sum(1 for _ in simple_commands(text)) <= len(text) + 1


def test_what_is_echoed_written_removed_or_commented_reads_nothing() -> None:
    command = """echo s/b_gen1; do printf '%s' s/b_gen2 # s/b_gen3
cat > x <<'E'
s/b_gen4
E
rm -r s/b_gen5; cat a > s/b_gen6; mkdir s/b_gen7"""
    assert what_reads(command) == "cat\ncat a"


def test_what_reads_stays_with_its_files_and_programs() -> None:
    command = "python3 - <<'E'\nopen('s/b_gen1/x')\nE\nsort < s/b_gen2/x | head"
    assert what_reads(command) == "python3 -\nopen('s/b_gen1/x')\n\nsort s/b_gen2/x\nhead"
