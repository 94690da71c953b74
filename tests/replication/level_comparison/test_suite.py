"""The final adversarial suite: cases of other seeds, each once, judged again."""

from hyperspace.tasks.registry import load
from hyperspace.tasks.shapes.cases import HasOracle, TaskCase
from replication.level_comparison.suite import final_suite, share_right

DOMAIN = load("email_validation")


def case(name: str, address: str, label: str) -> TaskCase:
    return TaskCase(name, {"address": address}, label, "kind")


def test_a_suite_has_each_case_of_other_seeds_once_and_none_that_was_met() -> None:
    assert isinstance(DOMAIN, HasOracle)
    item = DOMAIN.items("train")[0]
    first = [
        case("a", "..@mail.example", "invalid"),
        case("b", "x@[300.1.1.1]", "invalid"),
        case("c", "wrong@mail.example", "invalid"),  # the oracle says otherwise
        TaskCase("d", item.inputs, DOMAIN.labels("train")[item.id], "kind"),
    ]
    second = [case("a", "..@post.example", "invalid"), case("e", "q..q@post.example", "invalid")]
    own = [case("a", "x@[300.1.1.1]", "invalid")]
    suite = final_suite(DOMAIN, DOMAIN, [first, second], [own])
    assert [each.inputs["address"] for each in suite] == ["..@mail.example", "q..q@post.example"]
    assert len({each.id for each in suite}) == 2
    answers = {suite[0].id: " Invalid", suite[1].id: "valid"}
    assert share_right(suite, answers) == 0.5
    assert share_right(suite, {}) == 0
