import json

from hyperspace.offline.conversation import Conversation
from hyperspace.offline.plan import Plan, PlanStep, play


def plan() -> Plan:
    first = yield PlanStep("I look.", "bash", {"command": "ls"})
    second = yield PlanStep(f"I saw {first}.", "editor", {"command": "view", "path": first})
    return f"Done with {second}."


def conversation(*results: str, tools: tuple[str, ...] = ("bash", "editor")) -> Conversation:
    return Conversation("modify", results, frozenset(tools), 0)


def test_each_turn_goes_on_where_the_results_end() -> None:
    first, second = play(plan(), conversation()), play(plan(), conversation("a.py"))
    assert (first.text, first.tool_calls[0].name, first.finish) == ("I look.", "bash", "tool_calls")
    assert json.loads(second.tool_calls[0].arguments) == {"command": "view", "path": "a.py"}
    assert [reply.tool_calls[0].id for reply in (first, second)] == ["call_0", "call_1"]


def test_the_end_of_a_plan_is_said_without_calls() -> None:
    reply = play(plan(), conversation("a.py", "text"))
    assert (reply.text, reply.tool_calls, reply.finish) == ("Done with text.", (), "stop")


def test_more_results_than_steps_are_no_error() -> None:
    assert play(plan(), conversation("a", "b", "c", "d")).text == "Done with b."


def test_a_tool_that_is_not_on_offer_is_asked_for_in_words() -> None:
    reply = play(plan(), conversation("a.py", tools=("bash",)))
    assert reply.text == "I need the tool editor; on offer: bash."
    assert reply.tool_calls == ()


def test_a_plan_that_stumbles_over_a_result_says_so() -> None:
    def stumbling() -> Plan:
        listing = yield PlanStep("I look.", "bash", {"command": "ls"})
        return str(json.loads(listing)["missing"])

    for result in ("{}", "no json"):
        assert "no sense" in play(stumbling(), conversation(result)).text
