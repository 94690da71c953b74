"""A label counts where recorded code bears it out, and only there."""

from msgspec.structs import replace

from benchmarks.detectors.constructions import contradictions
from benchmarks.detectors.ground_truth import ActionOfCall
from benchmarks.detectors.scenario import Scenario, ScenarioTurn
from hyperspace.kernel.files import sha256_hex
from hyperspace.offline.true_action import TrueAction
from hyperspace.runs.files import HeldText
from hyperspace.runs.records import Generation, Run, RunAgent

TURN = ScenarioTurn("ana", 2, verdict="adopted", peer="bob", peer_generation=1, lines=("b = 2",))


def history(agent: str, *codes: str) -> RunAgent:
    """An agent with these task agents, from generation 0."""
    return RunAgent(
        agent,
        tuple(
            Generation(generation=number, valid=True, task=HeldText(code))
            for number, code in enumerate(codes)
        ),
    )


AGENTS = (history("ana", "s", "a = 1", "b = 2"), history("bob", "s", "b = 2\n"))
RUN = Run(arm="", seed=1, source="", agents=AGENTS)


def problems(turn: ScenarioTurn, run: Run = RUN, *truth: ActionOfCall) -> list[str]:
    """The contradictions of a scenario with one turn."""
    return list(contradictions(Scenario(("ana", "bob"), (turn,)), run, truth).values())


def test_a_label_that_the_code_bears_out_holds() -> None:
    assert problems(TURN) == []
    assert problems(replace(TURN, code_sha256=sha256_hex(b"b = 2"))) == []
    assert problems(replace(TURN, peer_generation=None)) == []


def test_code_that_the_calls_do_not_lead_to_is_named() -> None:
    other = replace(TURN, code_sha256=sha256_hex(b"c = 3"))
    assert problems(other) == ["the task agent is another than the one that the calls lead to"]


def test_lines_that_were_there_before_or_never_came_are_named() -> None:
    assert problems(replace(TURN, lines=("c = 3",), source=("b = 2",))) == [
        "lines that are said to have come in did not"
    ]
    had = replace(RUN, agents=(history("ana", "s", "b = 2", "b = 2"), RUN.agents[1]))
    assert problems(TURN, had) == ["lines that are said to have come in did not"]


def test_lines_that_the_peer_never_had_are_named() -> None:
    gone = ["bob never had the lines that are said to come from there"]
    assert problems(replace(TURN, source=("c = 3",))) == gone
    assert problems(replace(TURN, peer_generation=0)) == gone


def test_a_generation_that_is_missing_or_was_undone_is_named() -> None:
    assert problems(replace(TURN, generation=3)) == ["the generation is missing or invalid"]
    line = ActionOfCall(
        agent="ana",
        generation=2,
        ordinal=1,
        action=TrueAction("undone", "call 1 did otherwise"),
    )
    assert problems(TURN, RUN, line) == ["call 1 did otherwise"]
