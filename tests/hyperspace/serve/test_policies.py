from pathlib import Path

import pytest

from hyperspace.messages import ChatReply, ChatRequest, Message
from hyperspace.models.base import UnknownModel
from hyperspace.serve.policies import ServedPolicies


def test_policies_answer_under_their_own_name_and_under_aliases() -> None:
    brains = ServedPolicies.from_specs(["a=tinker?trials=5", "b=magpie"])
    assert brains.names()[:3] == ["a", "b", "tinker"]
    for name in ("a", "b", "magpie", "tinker?trials=3"):
        assert brains.find(name)


def test_a_script_answers_turn_by_turn(tmp_path: Path) -> None:
    script = tmp_path / "s.json"
    script.write_text(
        '[{"text": "one", "tool_calls": [{"name": "bash", "arguments": {"command": "ls"}}]},'
        ' {"tool_calls": [{"name": "bash", "arguments": "{broken"}], "finish": "length"}]'
    )
    policy = ServedPolicies.from_specs([f"s={script}"]).find("s")
    talk = [Message("user", "hi")]
    replies: list[ChatReply] = []
    for _ in range(3):
        replies.append(policy.reply(ChatRequest("s", tuple(talk))))
        talk.append(Message("assistant", replies[-1].text))
    assert [reply.finish for reply in replies] == ["tool_calls", "length", "stop"]
    assert replies[0].tool_calls[0].arguments == '{"command":"ls"}'
    assert replies[1].tool_calls[0].arguments == "{broken"
    assert replies[2].text == "The script has ended."


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("tinker", "write NAME=POLICY"),
        ("=tinker", "write NAME=POLICY"),
        ("a=", "write NAME=POLICY"),
        ("a=tinkr", "nearest are tinker"),
        ("a=tinker?nope=1", "nope"),
        ("a=/does/not/exist.json", "cannot read the script"),
    ],
)
def test_a_brain_that_makes_no_sense_says_what_does(spec: str, said: str) -> None:
    with pytest.raises(UnknownModel, match=said):
        ServedPolicies.from_specs([spec])


def test_a_file_that_is_no_script_says_what_one_looks_like(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text('[{"txt": "typo"}]')
    with pytest.raises(UnknownModel, match=r"txt.*expected a JSON list of objects like"):
        ServedPolicies.from_specs([f"s={tmp_path}/s.json"])
