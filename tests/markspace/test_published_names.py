"""Keyword names of the published package are ours, too."""

from uuid import uuid4

from markspace import AgentBarrier, BudgetTracker, WelfordDetector


def test_barriers_take_the_value_of_a_mark_type() -> None:
    token = uuid4()
    barrier = AgentBarrier(agent_id=uuid4(), _principal_token=token)
    barrier.narrow("a", mark_type_value="observation")
    barrier.narrow_all(mark_type_value="need")
    assert not barrier.is_allowed("a", mark_type_value="observation")
    assert not barrier.is_allowed_checked("b", mark_type_value="need")
    assert barrier.restore("a", mark_type_value="observation", principal_token=token)
    assert barrier.is_allowed("a", mark_type_value="observation")


def test_budgets_take_tokens_and_detectors_data() -> None:
    tracker = BudgetTracker()
    tracker.record_input(tokens=3)
    tracker.record_output(tokens=4)
    assert (tracker.total_input_consumed, tracker.total_output_consumed) == (3, 4)
    detector = WelfordDetector()
    detector.import_state(data=WelfordDetector().export_state())
    assert not detector.is_ready()
